import { archiveName } from '../../../wire/pages/archiveName.ts'
import type { StoredObject } from './exportRows.ts'

/** The path of an object in an archive. An attached file has its own name there, so that programs know what it is. */
export const entryPath = ({
  bucket,
  name,
  fileName,
}: Pick<StoredObject, 'bucket' | 'name' | 'fileName'>): string =>
  `files/${bucket}/${name}${fileName === null ? '' : `/${archiveName(fileName)}`}`
