import { createHash } from 'node:crypto'
import type { ExportReader } from './ExportReader.ts'

/** A version 5 UUID (RFC 9562): the same for the same namespace and name. */
function uuidOf(namespace: Uint8Array, name: string): string {
  const hex = createHash('sha1').update(namespace).update(name).digest('hex')
  const variant = ((Number.parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** The ids of rows. They depend on the workspace, so that an export can be imported into several ones. */
export interface ImportIds {
  channel(channel: string): string
  person(person: string): string
  message(channel: string, message: string): string
  upload(channel: string, file: string): string
  emoji(name: string): string
}

/** Creates the ids for an export that a workspace imports. */
export function createImportIds(
  workspaceId: string,
  { product, source }: Pick<ExportReader, 'product' | 'source'>,
): ImportIds {
  const namespace = Buffer.from(workspaceId.replaceAll('-', ''), 'hex')
  const id = (name: string): string => uuidOf(namespace, `${product}/${source}/${name}`)
  return {
    channel: (channel) => id(`channel/${channel}`),
    person: (person) => id(`person/${person}`),
    message: (channel, message) => id(`message/${channel}/${message}`),
    upload: (channel, file) => id(`upload/${channel}/${file}`),
    emoji: (name) => id(`emoji/${name}`),
  }
}
