"""Requests are handled as by Pyramid, without the events that nothing here needs."""

from support.service import on_one_storage


@on_one_storage
def test_pyramid_skips_its_events_because_nothing_subscribes_to_any(service):
    registry = service.app.registry
    assert list(registry.registeredHandlers()) == []
    assert not registry.has_listeners
