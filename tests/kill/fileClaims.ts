/** What an uploader knows of one name: versions count from 1, each of other contents. */
export interface FileClaim {
  name: string
  /** In bytes, of each version. */
  size: number
  /** The last version that the server said yes to; 0 for none. */
  acknowledged: number
  /** The last that was sent at all: it may have arrived though nobody said so. */
  attempted: number
}

/** Contents of which every line says whose they are, so that no mix of two passes for one. */
export function contentOf({ name, size }: Pick<FileClaim, 'name' | 'size'>, version: number): Buffer {
  return Buffer.alloc(size, `${version} ${name}\n`)
}

/** What was read under a name: a version, no object, or bytes that are none of the versions. */
export type Found = number | 'nothing' | 'other bytes'

/** Which version of a file these bytes are. */
export function versionIn(claim: FileClaim, bytes: Buffer): Found {
  const version = Number.parseInt(bytes.subarray(0, 20).toString(), 10)
  return bytes.equals(contentOf(claim, version)) ? version : 'other bytes'
}

/** What is wrong with a file as it was read, in sentences; empty when nothing is. */
export function faultsOfFile({ name, acknowledged, attempted }: FileClaim, found: Found): string[] {
  if (found === 'nothing') return acknowledged === 0 ? [] : [`the acknowledged file ${name} is not there`]
  if (found === 'other bytes') return [`the file ${name} is none of its versions whole`]
  if (found >= Math.max(acknowledged, 1) && found <= attempted) return []
  return [`the file ${name} is version ${found}, but ${acknowledged} was acknowledged, ${attempted} the last`]
}
