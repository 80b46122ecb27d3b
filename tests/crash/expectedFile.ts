/** What an uploader knows of one name: versions count from 1, each with different content. */
export interface ExpectedFile {
  name: string
  /** In bytes, of each version. */
  size: number
  /** The last acknowledged version; 0 for none. */
  acknowledged: number
  /** The last version that was sent: it may be stored though it was not acknowledged. */
  attempted: number
}

/** Content with name and version in every line, so that a mix of two versions is recognised. */
export function contentOfVersion(
  { name, size }: Pick<ExpectedFile, 'name' | 'size'>,
  version: number,
): Buffer {
  return Buffer.alloc(size, `${version} ${name}\n`)
}

/** What was read under a name: a version, no object, or bytes of no version. */
export type FoundVersion = number | 'nothing' | 'other bytes'

/** Which version of a file these bytes are. */
export function identifyVersion(file: ExpectedFile, bytes: Buffer): FoundVersion {
  const version = Number.parseInt(bytes.subarray(0, 20).toString(), 10)
  return bytes.equals(contentOfVersion(file, version)) ? version : 'other bytes'
}

/** What is wrong with a file that was read, in sentences; empty when nothing is. */
export function checkFile({ name, acknowledged, attempted }: ExpectedFile, found: FoundVersion): string[] {
  if (found === 'nothing') return acknowledged === 0 ? [] : [`the acknowledged file ${name} is missing`]
  if (found === 'other bytes') return [`the file ${name} is none of its versions`]
  if (found >= Math.max(acknowledged, 1) && found <= attempted) return []
  return [`the file ${name} is version ${found}, but ${acknowledged} was acknowledged, ${attempted} the last`]
}
