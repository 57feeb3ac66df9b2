"""Rate limits by token, user and address: rules, counters, the tween."""
