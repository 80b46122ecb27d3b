import { emojiNamed } from '../../../supabase/functions/_shared/emojiNamed.ts'
import type { ExportedEmoji, ExportReader } from './ExportReader.ts'
import type { Plan, Target } from './planImport.ts'

/** A picture of an export that the bucket `avatars` accepts. */
export interface StoredPicture {
  path: string
  type: string
  size: number
}

/** The pictures that an import stores. */
export interface Pictures {
  /** By the profiles of imported people. */
  avatars: Map<string, StoredPicture>
  emoji: { id: string; name: string; aliases: string[]; picture: StoredPicture }[]
  /** Avatars and emoji that are left out, by the reason. */
  leftOut: Map<string, number>
}

/** Of the bucket `avatars`: see `files.sql` of the schema. */
const maxPictureBytes = 262_144
/** The limit of a workspace, which includes the emoji that it has already: see `add_emoji` of the schema. */
const maxEmoji = 500
const maxAliases = 10
const emojiName = /^[a-z0-9][a-z0-9_-]{1,31}$/

/**
 * Finds the pictures of imported people and the custom emoji that the workspace can have. Members keep their pictures, and names of
 * emoji that the workspace or the standard has keep their meaning. The emoji of an earlier import of the export are found again,
 * because it can have been interrupted before their pictures were stored.
 */
export async function findPictures(
  reader: ExportReader,
  { people, ids }: Pick<Plan, 'people' | 'ids'>,
  { emoji: existing }: Pick<Target, 'emoji'>,
): Promise<Pictures> {
  const pictures: Pictures = { avatars: new Map(), emoji: [], leftOut: new Map() }
  const leaveOut = (reason: string): void => {
    pictures.leftOut.set(reason, (pictures.leftOut.get(reason) ?? 0) + 1)
  }
  for (const { key, avatar } of reader.people.values()) {
    const planned = people.get(key)
    if (avatar === undefined || planned === undefined || planned.isMatched) continue
    const picture = await readPicture(reader, avatar, { acceptsJpeg: true })
    if (picture === null) leaveOut('pictures of people are damaged or larger than 256 KB')
    else pictures.avatars.set(planned.profileId, picture)
  }
  const taken = new Set(Array.from(existing.values()).flat())
  let count = existing.size
  const isFree = (name: string): boolean =>
    emojiName.test(name) && !taken.has(name) && emojiNamed(name) === null
  for (const found of reader.emoji) {
    const id = ids.emoji(found.name)
    const earlier = existing.get(id)
    const [name, ...aliases] = earlier ?? namesOf(found).filter(isFree)
    if (name === undefined) {
      leaveOut('custom emoji have a name that the workspace has already, or that is not permitted')
      continue
    }
    const picture = await readPicture(reader, found.path, { acceptsJpeg: false })
    if (picture === null) leaveOut('custom emoji are no PNG, GIF or WebP of at most 256 KB')
    else if (earlier === undefined && count >= maxEmoji)
      leaveOut('custom emoji are more than the 500 of a workspace')
    else {
      if (earlier === undefined) count++
      for (const one of [name, ...aliases]) taken.add(one)
      pictures.emoji.push({ id, name, aliases: aliases.slice(0, maxAliases), picture })
    }
  }
  return pictures
}

const namesOf = ({ name, aliases }: ExportedEmoji): string[] =>
  Array.from(new Set([name, ...aliases].map((one) => one.toLowerCase())))

/** Null for a file that is missing, too large, or no picture that is accepted. */
async function readPicture(
  reader: ExportReader,
  path: string,
  { acceptsJpeg }: { acceptsJpeg: boolean },
): Promise<StoredPicture | null> {
  const size = reader.sizeOf(path)
  if (size === null || size > maxPictureBytes) return null
  const head = await readHead(reader, path).catch(() => null)
  const type = head === null ? null : typeOf(head)
  return type === null || (type === 'image/jpeg' && !acceptsJpeg) ? null : { path, type, size }
}

async function readHead(reader: ExportReader, path: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  const stream = await reader.open(path)
  for await (const chunk of stream) {
    chunks.push(chunk as Buffer)
    if (chunks.reduce((sum, { length }) => sum + length, 0) >= 12) break
  }
  return Buffer.concat(chunks).subarray(0, 12)
}

/** The media type by the first bytes: exports name it wrong, or not at all. */
function typeOf(head: Buffer): string | null {
  const text = head.toString('latin1')
  if (text.startsWith('\u0089PNG\r\n\u001A\n')) return 'image/png'
  if (/^GIF8[79]a/.test(text)) return 'image/gif'
  if (text.startsWith('\u00FF\u00D8\u00FF')) return 'image/jpeg'
  return text.startsWith('RIFF') && text.slice(8) === 'WEBP' ? 'image/webp' : null
}
