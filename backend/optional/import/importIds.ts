import { createHash } from 'node:crypto'
import type { ExportReader } from './ExportReader.ts'

/** A version 5 UUID (RFC 9562): the same for the same namespace and name. */
export function uuidOf(namespace: string, name: string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest()
  hash[6] = (hash[6]! & 0x0f) | 0x50
  hash[8] = (hash[8]! & 0x3f) | 0x80
  const hex = hash.toString('hex', 0, 16)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
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
  const id = (...parts: string[]): string => uuidOf(workspaceId, [product, source, ...parts].join('/'))
  return {
    channel: (channel) => id('channel', channel),
    person: (person) => id('person', person),
    message: (channel, message) => id('message', channel, message),
    upload: (channel, file) => id('upload', channel, file),
    emoji: (name) => id('emoji', name),
  }
}
