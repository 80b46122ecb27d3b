import { isObject, textOf, type Fields } from '../../../../supabase/functions/_shared/payloadFields.ts'
import type { ExportedFile } from '../ExportReader.ts'
import type { ExportFiles } from '../openExport.ts'
import { readJsonArray, readJsonObject, type Element } from '../readJsonArray.ts'
import { lineOf } from '../lineOf.ts'

/** Further files have the name in their path, and no type: each entry needs memory. */
const maxUploads = 200_000
const TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/

/** Reads the names and types of uploads. Returns a function that describes the upload with a path. */
export async function readUploads(files: ExportFiles): Promise<(path: string) => ExportedFile> {
  /** The name of a file whose path has another one. Zulip stores a name without special characters. */
  const names = new Map<string, string>()
  const types = new Map<string, string>()
  /** One text for each type. */
  const knownTypes = new Map<string, string>()
  const add = (path: string, fields: Fields): void => {
    const name = lineOf(textOf(fields['file_name']), 255).replaceAll(/[/\\]/g, '_')
    if (name !== '' && name !== lastPart(path) && names.size < maxUploads) names.set(path, name)
    const type = (textOf(fields['content_type']).split(';')[0] ?? '').trim().toLowerCase()
    if (!TYPE.test(type) || types.size >= maxUploads) return
    if (!knownTypes.has(type)) knownTypes.set(type, type)
    types.set(path, knownTypes.get(type)!)
  }
  for await (const fields of readEntries(files, 'uploads/records.json', readJsonArray))
    add(textOf(fields['path']), fields)
  for await (const fields of readEntries(files, 'attachment.json', readAttachments))
    add(textOf(fields['path_id']), fields)
  return (path) => {
    const stored = `uploads/${path}`
    const size = files.sizes.get(stored)
    return {
      key: path,
      name: names.get(path) ?? (lineOf(lastPart(path), 255) || 'file'),
      type: types.get(path) ?? 'application/octet-stream',
      size: size ?? null,
      width: null,
      height: null,
      address: '',
      source:
        size === undefined
          ? { kind: 'missing', reason: 'not in the export' }
          : { kind: 'stored', path: stored },
    }
  }
}

const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

function readAttachments(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Element> {
  return readJsonObject(chunks, ['zerver_attachment'])
}

async function* readEntries(
  files: ExportFiles,
  name: string,
  read: (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Element>,
): AsyncGenerator<Fields> {
  if (!files.sizes.has(name)) return
  for await (const element of read(await files.open(name)))
    if ('value' in element && isObject(element.value)) yield element.value
}
