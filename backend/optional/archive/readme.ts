import type { Manifest } from './Manifest.ts'

/** The text of `README.txt`. */
export const readme = ({
  workspace,
  createdAt,
  version,
  credentials,
}: Manifest): string => `Archive of the workspace "${workspace.name}"
Written by Linnet on ${createdAt}. Version ${version} of the format.

index.html      shows the messages in a browser, without a server
pages/          its pages: one or more for each channel and conversation
manifest.json   lists all entries with their SHA-256 checksums
rows/           one file for each table; each line is one row as JSON
files/files/    attached files: <channel>/<upload>/file/<name>, with a picture in thumb
files/avatars/  pictures of people, of the workspace, and custom emoji

rows/channels.jsonl has the channels, rows/profiles.jsonl the people, and rows/messages.jsonl
the messages. A message names its channel in channel_id, its author in author_id, and the
first message of its thread in thread_root. rows/attachments.jsonl has the names of files.

"linnet import FILE" reads the archive into another server. The page docs/archive.md of
Linnet describes the format. ${
  credentials
    ? 'The archive contains hashes of passwords, second factors and tokens.\nAnyone with the file can sign in as the people and bots of the workspace.'
    : 'The archive contains no passwords.'
}
`
