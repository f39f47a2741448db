"""Tells what the client has: its calls, and the names that it exports."""
import apache_iggy

for owner in (apache_iggy.IggyClient, apache_iggy.IggyConsumer, apache_iggy.IggyProducer):
    for name in dir(owner):
        if not name.startswith("_"):
            print("call", f"{owner.__name__}.{name}")
for name in dir(apache_iggy):
    if name[0].isupper():
        print("name", name)
