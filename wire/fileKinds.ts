/** What a file is to who looks at it. Only what is not `other` opens in place. */
export const fileKinds = ['picture', 'video', 'audio', 'pdf', 'text', 'other'] as const

export type FileKind = (typeof fileKinds)[number]

/**
 * Types by kind, written so that PostgreSQL reads them too. What runs scripts as a page of ours (SVG, HTML, whatever is
 * XML) is in none; nor is what no browser plays. A missing type costs its reader a download, a wrong one its safety.
 */
const typesOf: readonly (readonly [FileKind, RegExp])[] = [
  ['picture', /^image\/(png|jpeg|gif|webp|avif)$/],
  ['video', /^video\/(mp4|webm|ogg|quicktime|x-m4v)$/],
  ['audio', /^audio\/(mpeg|mp3|mp4|x-m4a|m4a|aac|ogg|opus|webm|wav|wave|x-wav|vnd\.wave|flac|x-flac)$/],
  ['pdf', /^application\/pdf$/],
  [
    'text',
    /^(text\/(plain|markdown|csv|tab-separated-values|css|javascript|typescript|yaml|calendar|vcard|x-[a-z0-9.-]+(\+\+[a-z]*)?)|application\/(json|ld\+json|x-ndjson|javascript|x-javascript|typescript|yaml|x-yaml|toml|sql|x-sh|x-shellscript))$/,
  ],
]

/**
 * The kind of a file.
 * @param type what storage saw (`Attachment.type`): a media type, parameters and letter case don't count
 */
export function fileKindOf(type: string): FileKind {
  const essence = (type.split(';')[0] ?? '').trim().toLowerCase()
  return typesOf.find(([, types]) => types.test(essence))?.[0] ?? 'other'
}
