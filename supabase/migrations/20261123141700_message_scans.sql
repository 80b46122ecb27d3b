-- Messages with their reactions, pins and files are read by index.

-- The plan is generic. PostgreSQL 15 estimates that an array has ten ids with as many reactions as other messages have: if
-- these are many, it reads all reactions of the server, also for one message. Each table has an index by message.
alter function app.messages_as_json(uuid[], uuid) set enable_seqscan = off;
