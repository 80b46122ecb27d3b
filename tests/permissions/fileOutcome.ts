import type { HttpResponse } from './PipelinedClient.ts'

const body = (statusCode: string, error: string, code: string, message: string): string =>
  JSON.stringify({ statusCode, error, code, message })

/**
 * Outcomes of refusals, by the exact response: an object that does not exist and one that is not accessible have the same
 * outcome only if the responses are equal to the last byte.
 */
const refusals: Record<string, string> = {
  [`400 ${body('404', 'not_found', 'NoSuchKey', 'Object not found')}`]: 'not_found',
  [`400 ${body('404', 'Bucket not found', 'NoSuchBucket', 'Bucket not found')}`]: 'no_bucket',
  [`400 ${body('403', 'Unauthorized', 'AccessDenied', 'new row violates row-level security policy')}`]:
    'denied',
  [`400 ${body('403', 'Unauthorized', 'AccessDenied', 'Access denied')}`]: 'refused',
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
 * The outcome of a storage response: `yes`, `–` (nothing listed, nothing done), or the name of a refusal. Any other
 * response is returned as it is.
 */
export function fileOutcome(operation: string, { status, text }: HttpResponse): string {
  if (status < 300) {
    if (operation === 'sign many') return /"signedURL":"/.test(text) ? 'yes' : '–'
    if (text === '[]' || /"folders":\[\],"objects":\[\]/.test(text)) return '–'
    return 'yes'
  }
  if (text === '') return status === 400 || status === 404 ? 'not_found' : String(status)
  const word = refusals[`${status} ${text}`]
  if (word !== undefined) return word
  // The stored bytes are no image: this error shows that access was granted.
  if (operation.startsWith('render') && /source image is invalid/.test(text)) return 'yes'
  if (/"code":"InvalidKey"/.test(text)) return 'bad_name'
  return `${status} ${text}`
}
