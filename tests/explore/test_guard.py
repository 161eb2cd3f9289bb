"""Foreign hosts, foreign origins and large bodies get no answer; every answer has its policy."""

import pytest
from starlette.testclient import TestClient

from wordrbm.explore.guard import Guard, host_name
from wordrbm.explore.server import build_app


@pytest.fixture(scope="module")
def client(session):
    return TestClient(build_app(session), base_url="http://127.0.0.1:8123")


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "a@127.0.0.1", "", "[", "x:y:z"]
)
def test_foreign_hosts(client, host):
    response = client.get("/api/info", headers={"host": host})
    assert response.status_code == 403
    assert "host" in response.json()["error"]


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:8123", "http://127.0.0.1:9"]
)
def test_foreign_origins(client, origin):
    response = client.post("/api/neighbours", json={"word": "monday"}, headers={"origin": origin})
    assert response.status_code == 403


def test_another_site_may_link_but_not_ask(client):
    foreign = {"sec-fetch-site": "cross-site"}
    assert client.get("/", headers=foreign).status_code == 200
    assert client.get("/api/info", headers=foreign).status_code == 403


def test_own_pages_pass_with_a_strict_policy(client):
    response = client.get("/", headers={"origin": "http://127.0.0.1:8123"})
    assert response.status_code == 200
    policy = response.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert response.headers["x-content-type-options"] == "nosniff"


def test_an_address_is_a_host_where_all_are_bound():
    assert Guard(None, "0.0.0.0").is_known_host("192.168.0.7:8123")
    assert not Guard(None, "0.0.0.0").is_known_host("evil.example:8123")
    assert not Guard(None).is_known_host("192.168.0.7:8123")
    assert host_name("[::1]:80") == "::1"
