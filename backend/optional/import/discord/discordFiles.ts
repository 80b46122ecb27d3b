import {
  objectOf,
  objectsOf,
  textOf,
  type Fields,
} from '../../../../supabase/functions/_shared/payloadFields.ts'
import { mediaTypeOf } from '../../../runtime/mediaTypeOf.ts'
import type { ExportedFile } from '../ExportReader.ts'
import { lineOf } from '../lineOf.ts'
import type { ExportFiles } from '../openExport.ts'
import type { DiscordEmbed } from './discordEmbeds.ts'
import { idOf } from './snowflakes.ts'
import { isWebAddress, storedPath } from './storedPath.ts'

/** Of each kind in a message, more than Discord permits. */
const maxFiles = 25

/** The attachments, stickers and pictures of a message. */
export function filesOf(
  files: ExportFiles,
  exportPath: string,
  id: string,
  { message, embeds }: { message: Fields; embeds: readonly DiscordEmbed[] },
): ExportedFile[] {
  const forwarded = objectOf(message['forwardedMessage'])
  const found: ExportedFile[] = []
  const add = (kind: string, at: number, name: unknown, address: unknown, size: unknown = null): void => {
    const source = sourceOf(files, exportPath, address)
    const named = lineOf(name, 255).replaceAll(/[/\\]/g, '_') || `${kind}-${at + 1}`
    found.push({
      key: `${id}-${kind}-${at}`,
      name: named,
      type: mediaTypeOf(named),
      size: Number.isSafeInteger(size) && (size as number) > 0 ? (size as number) : null,
      width: null,
      height: null,
      // A link to a file of Discord ends after a day.
      address: '',
      source,
    })
  }
  for (const [kind, list] of [
    ['file', message['attachments']],
    ['forwarded', forwarded['attachments']],
  ] as const)
    for (const file of objectsOf(list, maxFiles))
      add(`${kind}-${idOf(file['id'])}`, found.length, file['fileName'], file['url'], file['fileSizeBytes'])
  for (const sticker of [
    ...objectsOf(message['stickers'], maxFiles),
    ...objectsOf(forwarded['stickers'], maxFiles),
  ])
    add('sticker', found.length, stickerName(sticker), sticker['sourceUrl'])
  for (const { pictures } of embeds)
    for (const { url, address } of pictures) {
      // A picture of the web is a link of the card.
      if (storedPath(files, exportPath, url) !== null) add('picture', found.length, pictureName(address), url)
    }
  return found
}

function sourceOf(files: ExportFiles, exportPath: string, address: unknown): ExportedFile['source'] {
  const path = storedPath(files, exportPath, address)
  if (path !== null) return { kind: 'stored', path }
  const url = textOf(address)
  if (isWebAddress(url) && url.length <= 2_000 && !/[\s<>]/.test(url)) return { kind: 'linked', url }
  return { kind: 'missing', reason: url === '' ? 'without an address' : 'not in the export' }
}

function stickerName(sticker: Fields): string {
  const name = lineOf(sticker['name'], 80) || 'sticker'
  const extension = { Apng: 'png', Gif: 'gif', Lottie: 'json', Png: 'png' }[textOf(sticker['format'])]
  return extension === undefined ? name : `${name}.${extension}`
}

/** The end of the address of a picture, without what follows its name. */
function pictureName(address: string): string {
  return (
    address
      .replace(/[?#].*$/s, '')
      .split(/[/\\]/)
      .at(-1) ?? ''
  )
}
