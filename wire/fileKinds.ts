/** Kinds of files by how the app displays them; `other` is only downloaded. */
export const fileKinds = ['picture', 'video', 'audio', 'pdf', 'text', 'other'] as const

export type FileKind = (typeof fileKinds)[number]

/**
 * Media types by kind, in syntax that PostgreSQL's regular expressions share. Types that can run scripts with the app's
 * origin (SVG, HTML, all XML) are left out, and those that no browser plays. A missing type costs a download; a wrong
 * one would be a vulnerability.
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
 * @param type media type as storage recorded it (`Attachment.type`); parameters and letter case are ignored
 */
export function fileKindOf(type: string): FileKind {
  const essence = (type.split(';')[0] ?? '').trim().toLowerCase()
  return typesOf.find(([, types]) => types.test(essence))?.[0] ?? 'other'
}
