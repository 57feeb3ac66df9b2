"""Files that users send to be imported: kept for an hour, looked at, previewed, imported.

What is long runs off the request, in a thread of the process. How far it is stands in the database
alone: any process shows it, and finds work that ended with the process that did it.
"""
