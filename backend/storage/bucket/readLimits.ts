import { errors } from '../errors.ts'
import { parseFileSize } from '../fileSize.ts'
import type { JsonBody } from '../JsonBody.ts'
import { requireAllowableTypes } from '../mimeType.ts'
import type { Storage } from '../Storage.ts'

/** The two limits of a bucket in a body; undefined where absent. */
export function readLimits(
  storage: Storage,
  body: JsonBody,
): { fileSizeLimit: number | null | undefined; allowedMimeTypes: string[] | null | undefined } {
  const size = body.raw('file_size_limit')
  if (size !== undefined && size !== null && typeof size !== 'number' && typeof size !== 'string') {
    throw errors.invalidBody('body/file_size_limit must be integer,null')
  }
  const fileSizeLimit = size === undefined || size === null ? size : parseFileSize(size)
  if (typeof fileSizeLimit === 'number' && fileSizeLimit > storage.maxFileSize) throw errors.entityTooLarge()
  const allowedMimeTypes = body.optionalTexts('allowed_mime_types')?.filter(Boolean)
  if (allowedMimeTypes) requireAllowableTypes(allowedMimeTypes)
  return {
    fileSizeLimit,
    allowedMimeTypes: allowedMimeTypes ?? (body.raw('allowed_mime_types') === null ? null : undefined),
  }
}
