-- A file outlives the channel in which it was uploaded, as long as a message elsewhere carries it. The attachments of a
-- deleted channel's own messages are deleted with the messages; the hourly job then queues files that no message carries.

alter table public.attachments drop constraint attachments_upload_channel_id_fkey;
-- It served the foreign key alone.
drop index public.attachments_upload_channel;
comment on column public.attachments.upload_channel_id is
  'The first folder of the file''s path, not a reference: that channel may be deleted while another one''s message carries '
  'the file.';
