"""What a paper is called: metadata, DOI records, references in and out."""
