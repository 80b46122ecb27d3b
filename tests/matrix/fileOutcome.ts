import type { Answer } from './Asker.ts'

const body = (statusCode: string, error: string, code: string, message: string): string =>
  JSON.stringify({ statusCode, error, code, message })

/**
 * The words of the cells for refusals, each one answer to the last byte: what is not there and what is not one's own
 * can't be told apart where both are the same word.
 */
const refusals: Record<string, string> = {
  [`400 ${body('404', 'not_found', 'NoSuchKey', 'Object not found')}`]: 'not_found',
  [`400 ${body('404', 'Bucket not found', 'NoSuchBucket', 'Bucket not found')}`]: 'no_bucket',
  [`400 ${body('403', 'Unauthorized', 'AccessDenied', 'new row violates row-level security policy')}`]:
    'denied',
  [`400 ${body('403', 'Unauthorized', 'AccessDenied', 'Access denied')}`]: 'refused',
  [`403 ${body('403', 'Unauthorized', 'AccessDenied', 'Access denied: Invalid role')}`]: 'refused',
  [`400 ${body('409', 'Duplicate', 'KeyAlreadyExists', 'The resource already exists')}`]: 'taken',
  [`400 ${body('409', 'ResourceNotEmpty', 'ResourceNotEmpty', 'The bucket you tried to delete is not empty')}`]:
    'not_empty',
  [`400 ${body('403', 'Unauthorized', 'AccessDenied', 'token is expired')}`]: 'expired',
  [`400 ${body('400', 'InvalidJWT', 'InvalidJWT', 'JWS Protected Header is invalid')}`]: 'bad_link',
  '400 {"message":"Bad Request"}': 'bad_path',
  '403 new row violates row-level security policy': 'denied',
  '404 The file for this url was not found\n': 'not_found',
  '409 The resource already exists': 'taken',
}

/**
 * An answer of storage in the words of the cells: `yes`, `–` (nothing listed, nothing taken), or the word of a refusal.
 * Anything else is told as it came.
 */
export function fileOutcome(way: string, { status, text }: Answer): string {
  if (status < 300) {
    if (way === 'sign many') return /"signedURL":"/.test(text) ? 'yes' : '–'
    if (text === '[]' || /"folders":\[\],"objects":\[\]/.test(text)) return '–'
    return 'yes'
  }
  if (text === '') return status === 400 || status === 404 ? 'not_found' : String(status)
  const word = refusals[`${status} ${text}`]
  if (word !== undefined) return word
  // Whoever comes as far as the bytes, which are no picture, was let in.
  if (way.startsWith('render') && /source image is invalid/.test(text)) return 'yes'
  if (/"code":"InvalidKey"/.test(text)) return 'bad_name'
  return `${status} ${text}`
}
