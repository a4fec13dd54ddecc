import json
import urllib.request
def test_live(live_stack, page):
    with urllib.request.urlopen(live_stack.address + "/healthz") as r:
        assert json.load(r) == {"healthy": True, "database": True, "redis": True}
    live_stack.create_user("ann", "x")
    assert live_stack.python("print(User.objects.count())").strip() == "2"
    page.goto(live_stack.address + "/healthz")
    assert "healthy" in page.content()
