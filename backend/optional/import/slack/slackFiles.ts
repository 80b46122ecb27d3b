import {
  isObject,
  objectsOf,
  textOf,
  type Fields,
} from '../../../../supabase/functions/_shared/payloadFields.ts'
import type { ExportedFile } from '../ExportReader.ts'
import { lineOf } from '../lineOf.ts'
import type { ExportFiles } from '../openExport.ts'
import { isSlackId } from './readLists.ts'

/** Files of one message, more than Slack permits. */
const maxFiles = 100
const typePattern = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/

/** The files of a message. Exports before 2018 have one `file`. */
export function filesOf(message: Fields, folders: ReadonlyMap<string, string>): ExportedFile[] {
  const all = [...objectsOf(message['files'], maxFiles), ...[message['file']].filter(isObject)]
  const found = new Map<string, ExportedFile>()
  for (const fields of all) {
    const id = textOf(fields['id'])
    if (isSlackId(id) && !found.has(id)) found.set(id, readFile(id, fields, folders))
  }
  return [...found.values()]
}

function readFile(id: string, fields: Fields, folders: ReadonlyMap<string, string>): ExportedFile {
  const type = textOf(fields['mimetype']).toLowerCase()
  const size = Number(fields['size'])
  const name = lineOf(textOf(fields['name']) || textOf(fields['title']), 255).replaceAll(/[/\\]/g, '_')
  const pixels = (key: string): number | null => {
    const value = Number(fields[key])
    return Number.isInteger(value) && value >= 1 && value <= 65_535 ? value : null
  }
  const [width, height] = [pixels('original_w'), pixels('original_h')]
  return {
    key: id,
    name: name || id,
    type: typePattern.test(type) ? type : 'application/octet-stream',
    size: Number.isSafeInteger(size) && size > 0 ? size : null,
    // A picture that lies on its side has both.
    width: height === null ? null : width,
    height: width === null ? null : height,
    address: [fields['external_url'], fields['permalink']].map(webAddressOf).find(Boolean) ?? '',
    source: sourceOf(id, fields, folders),
  }
}

function sourceOf(id: string, fields: Fields, folders: ReadonlyMap<string, string>): ExportedFile['source'] {
  const path = folders.get(id)
  if (path !== undefined) return { kind: 'stored', path }
  const mode = textOf(fields['mode'])
  if (mode === 'tombstone') return { kind: 'missing', reason: 'deleted in Slack' }
  if (mode === 'hidden_by_limit') return { kind: 'missing', reason: 'hidden by Slack' }
  if (mode === 'external' || fields['is_external'] === true) return { kind: 'external' }
  if (['quip', 'canvas'].includes(textOf(fields['filetype'])) || ['quip', 'canvas'].includes(mode))
    return { kind: 'missing', reason: 'canvas' }
  const url = [fields['url_private_download'], fields['url_private']].map(webAddressOf).find(Boolean)
  return url === undefined ? { kind: 'missing', reason: 'without an address' } : { kind: 'linked', url }
}

function webAddressOf(value: unknown): string {
  const text = textOf(value)
  return /^https?:\/\/[^\s<>]{1,1900}$/i.test(text) ? text : ''
}

/** The files that slackdump has stored at `__uploads/<id>/<name>`: the path of each by its id. */
export function findStoredFiles(files: ExportFiles): Map<string, string> {
  const found = new Map<string, string>()
  for (const name of files.sizes.keys()) {
    const [, id] = /^__uploads\/([^/]+)\/[^/]+$/.exec(name) ?? []
    if (id !== undefined && !found.has(id)) found.set(id, name)
  }
  return found
}
