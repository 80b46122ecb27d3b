/** An error response, with the exact message. */
export interface Refusal {
  /** The HTTP status; the status in the body can differ. */
  status: number
  statusCode: string
  error: string
  message: string
}

/** A request below `/storage/v1`, with the service role key unless it has its own headers. */
export interface LedgerRequest {
  method?: string
  path: string
  body?: string | object
  headers?: Record<string, string>
}

/** A code with a request that causes it, the test that does, or the reason why no request can. */
export type Entry =
  | { code: string; request: LedgerRequest; refusal: Refusal }
  | { code: string; file: string; title: string }
  | { code: string; unreachable: string }

const reached = (code: string, request: LedgerRequest, refusal: Refusal): Entry => ({
  code,
  request,
  refusal,
})

/** An error that has the HTTP status 400 for every cause, as upstream; `error` is the code by default. */
const refused = (
  code: string,
  request: LedgerRequest,
  [statusCode, message, error = code]: [statusCode: number, message: string, error?: string],
): Entry => reached(code, request, { status: 400, statusCode: String(statusCode), error, message })

/** An invalid request body, with the message of the validator. */
const invalid = (request: LedgerRequest, message: string): Entry =>
  refused('InvalidRequest', request, [400, message, 'Error'])

const unreachable = (why: string, ...codes: string[]): Entry[] =>
  codes.map((code) => ({ code, unreachable: why }))

const post = (path: string, body: string | object, headers: Record<string, string> = {}): LedgerRequest => ({
  method: 'POST',
  path,
  body,
  headers,
})
const upload = (name: string, headers: Record<string, string> = {}, body = 'x'): LedgerRequest =>
  post(`object/files/${name}`, body, { 'content-type': 'text/plain', ...headers })

/** The insert of this row fails with that SQLSTATE: see the trigger in the test. */
const faulty = (state: string): LedgerRequest => upload(`fault/${state}`)

const form = (parts: string): LedgerRequest =>
  upload('form', { 'content-type': 'multipart/form-data; boundary=x' }, parts)

const elsewhere = 'the S3 protocol, which the contract leaves out'
const lake = 'buckets of tables and vectors, which the contract leaves out'

/**
 * Every code of upstream's catalogue (storage 1.70) and Linnet's own codes. Messages are upstream's except where
 * docs/decisions/0018 states otherwise.
 */
export const errorLedger: Entry[] = [
  refused('NoSuchBucket', { path: 'bucket/none' }, [404, 'Bucket not found', 'Bucket not found']),
  refused('NoSuchKey', { path: 'object/files/none' }, [404, 'Object not found', 'not_found']),
  refused('NoSuchKey', { path: 'object/files/bare' }, [404, 'The resource was not found', 'Not found']),
  refused('InvalidJWT', { path: 'object/sign/files/a?token=x.y.z' }, [
    400,
    'JWS Protected Header is invalid',
  ]),
  ...unreachable('a token that is over is no token: InvalidJWT, upstream too', 'ExpiredToken'),
  refused('InvalidSignature', { path: 'object/sign/files/b?token={link to a}' }, [400, 'Invalid signature']),
  refused(
    'InvalidSignature',
    { method: 'PUT', path: 'object/upload/sign/files/a?token={link to a}', body: 'x' },
    [400, 'Token is not scoped for upload'],
  ),
  refused('AccessDenied', { path: 'bucket', headers: { authorization: 'Bearer x.y.z' } }, [
    403,
    'JWS Protected Header is invalid',
    'Unauthorized',
  ]),
  refused('AccessDenied', { path: 'bucket', headers: { authorization: 'x.y.z' } }, [
    403,
    'JWS Protected Header is invalid',
    'Unauthorized',
  ]),
  refused('AccessDenied', { ...upload('new'), headers: { apikey: '{anon}', authorization: '' } }, [
    403,
    'new row violates row-level security policy',
    'Unauthorized',
  ]),
  reached(
    'AccessDenied',
    { method: 'DELETE', path: 'cdn/files', headers: { apikey: '{anon}', authorization: '' } },
    { status: 403, statusCode: '403', error: 'Unauthorized', message: 'Access denied: Invalid role' },
  ),
  refused('InvalidBucketName', post('bucket', { name: 'a/b' }), [
    400,
    'Bucket name invalid',
    'Invalid Input',
  ]),
  refused('InvalidKey', upload('a%5Cb'), [400, 'Invalid key: a\\b']),
  refused('KeyAlreadyExists', upload('a'), [409, 'The resource already exists', 'Duplicate']),
  refused('BucketAlreadyExists', post('bucket', { name: 'files' }), [
    409,
    'The resource already exists',
    'Duplicate',
  ]),
  refused(
    'ResourceAlreadyExists',
    post('object/move', { bucketId: 'files', sourceKey: 'a', destinationKey: 'b' }),
    [409, 'The resource already exists', 'Duplicate'],
  ),
  refused('ResourceNotEmpty', { method: 'DELETE', path: 'bucket/files' }, [
    409,
    'The bucket you tried to delete is not empty',
  ]),
  refused('ResourceReferenced', { method: 'DELETE', path: 'object/files/pinned' }, [
    409,
    'The resource could not be updated or removed due to a foreign key constraint',
  ]),
  refused('FeatureNotEnabled', post('bucket', { name: 'lake', type: 'ANALYTICS' }), [
    409,
    'The feature iceberg_catalog is not enabled for this resource',
  ]),
  ...['iceberg/bucket', 'vector/ListVectorBuckets'].map((path) =>
    reached('FeatureNotEnabled', post(path, {}), {
      status: 403,
      statusCode: '403',
      error: 'FeatureNotEnabled',
      message: 'feature not enabled for this tenant',
    }),
  ),
  refused('InvalidMimeType', post('object/narrow/a', 'x', { 'content-type': 'text/plain' }), [
    415,
    'mime type text/plain is not supported',
    'invalid_mime_type',
  ]),
  refused('InvalidMimeType', upload('a', { 'content-type': 'nomediatype' }), [
    415,
    'Invalid Content-Type header',
    'invalid_mime_type',
  ]),
  refused('InvalidMimeType', post('bucket', {}, { 'content-type': 'image/\tpng' }), [
    415,
    'Invalid Content-Type header',
    'invalid_mime_type',
  ]),
  refused('InvalidKey', upload(''), [400, 'Invalid key: ']),
  refused('InvalidKey', { ...upload(''), method: 'PUT' }, [400, 'Invalid key: ']),
  refused('InvalidParameter', post('object/sign/files/a', { expiresIn: 9_007_199_254_740 }), [
    400,
    'Invalid Parameter expiresIn',
  ]),
  refused('InvalidParameter', post('object/sign/files', { expiresIn: 9_007_199_254_740, paths: ['a'] }), [
    400,
    'Invalid Parameter expiresIn',
  ]),
  refused('EntityTooLarge', post('object/narrow/a', 'x'.repeat(11), { 'content-type': 'image/png' }), [
    413,
    'The object exceeded the maximum allowed size',
    'Payload too large',
  ]),
  reached('EntityTooLarge', post('object/list/files', { prefix: 'x'.repeat(2 ** 20) }), {
    status: 413,
    statusCode: '413',
    error: 'FastifyError',
    message: 'Request body is too large',
  }),
  reached(
    'InvalidRange',
    { path: 'object/files/a', headers: { range: 'bytes=9-' } },
    {
      status: 416,
      statusCode: '416',
      error: 'invalid_range',
      message: 'invalid range provided',
    },
  ),
  refused('InvalidParameter', post('object/list-v2/files', { cursor: 'mine' }), [
    400,
    'Invalid Parameter continuation token',
  ]),
  refused('InvalidParameter', post('object/list/files', { prefix: '\0' }), [
    400,
    'invalid byte sequence for encoding "UTF8": 0x00',
  ]),
  refused('InvalidParameter', faulty('22P02'), [400, 'raised by the trigger']),
  refused('InvalidParameter', faulty('54000'), [400, 'A value is too long']),
  reached(
    'InvalidRequest',
    { path: 'nothing' },
    {
      status: 404,
      statusCode: '404',
      error: 'Not Found',
      message: 'Route GET:/storage/v1/nothing not found',
    },
  ),
  invalid(post('object/list/files', {}), "body must have required property 'prefix'"),
  invalid(post('object/list/files', '[]'), 'body must be object'),
  invalid({ path: 'object/sign/files/a' }, "querystring must have required property 'token'"),
  invalid({ path: 'bucket?limit=0' }, 'querystring/limit must be >= 1'),
  invalid(
    post('object/sign/files', { expiresIn: 1, paths: Array(1001).fill('a') }),
    'body/paths must NOT have more than 1000 items',
  ),
  refused('InvalidRequest', post('object/list/files', '{'), [
    400,
    "Body is not valid JSON but content-type is set to 'application/json'",
    'FastifyError',
  ]),
  refused(
    'InvalidRequest',
    { method: 'DELETE', path: 'object/files', body: { prefixes: Array(1001).fill('a') } },
    [400, 'Bulk object requests are limited to 1000 objects per request.'],
  ),
  refused('InvalidRequest', form('hello'), [400, 'No content provided']),
  refused('InvalidRequest', post('bucket', { name: 'x', file_size_limit: '1 MB' }), [
    400,
    'Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B',
  ]),
  refused('InvalidRequest', upload('new', { 'x-robots-tag': 'noindex, nonsense' }), [
    400,
    'Invalid X-Robots-Tag header: Invalid X-Robots-Tag rule: "nonsense"',
    'invalid_x_robots_tag',
  ]),
  refused('InvalidRequest', { path: 'render/image/authenticated/files/a?width=10' }, [
    400,
    'The source image is invalid or unsupported for rendering',
  ]),
  refused('InvalidRequest', { path: 'render/image/authenticated/files/vast?width=10' }, [
    400,
    'The source image resolution is too large to process',
  ]),
  refused('InvalidRequest', { path: 'render/image/authenticated/files/heavy?width=10' }, [
    400,
    'The source image file is too large to process',
  ]),
  refused('InvalidRequest', faulty('23503'), [404, 'The related resource does not exist']),
  refused('ResourceLocked', faulty('55P03'), [423, 'The resource is locked']),
  reached('DatabaseTimeout', faulty('57014'), {
    status: 544,
    statusCode: '544',
    error: 'DatabaseTimeout',
    message: 'The connection to the database timed out',
  }),
  refused('DatabaseReadOnly', faulty('25006'), [
    503,
    'The database is currently in read-only mode. Please try again later.',
  ]),
  reached('DatabaseTransactionAborted', faulty('25P02'), {
    status: 500,
    statusCode: '500',
    error: 'DatabaseTransactionAborted',
    message: 'The database transaction has been aborted. Roll back the transaction before retrying.',
  }),
  refused('DatabaseInvalidObjectDefinition', faulty('42P17'), [
    503,
    'The database schema is invalid or incompatible.',
  ]),
  refused('DatabaseSchemaMismatch', faulty('42703'), [
    503,
    'The database schema is out of sync. Please run migrations or contact support.',
  ]),
  refused('DatabaseError', faulty('P0001'), [400, 'raised by the trigger']),
  reached('DatabaseError', faulty('08006'), {
    status: 503,
    statusCode: '503',
    error: 'DatabaseError',
    message: 'The database does not answer. Please try again later.',
  }),
  reached('SlowDown', faulty('53300'), {
    status: 429,
    statusCode: '429',
    error: 'too_many_connections',
    message: 'Too many connections issued to the database',
  }),
  reached('InsufficientStorage', faulty('53100'), {
    status: 507,
    statusCode: '507',
    error: 'Insufficient Storage',
    message: 'There is no space left to store this. Nothing was changed; free some space and try again.',
  }),
  reached('InternalError', faulty('XX000'), {
    status: 500,
    statusCode: '500',
    error: 'Internal',
    message: 'Internal Server Error',
  }),
  { code: 'InvalidUploadId', file: '../responses/resumable.test.ts', title: 'the address of %s' },
  ...unreachable('sent only to clients that disconnected during a request', 'Aborted', 'AbortedTerminate'),
  ...unreachable('locks are waited for only in statements, whose timeout has its own error', 'LockTimeout'),
  ...unreachable('errors of resumable uploads are messages without a code', 'TusError'),
  ...unreachable('upstream throws it nowhere', 'TransactionError'),
  ...unreachable('replaced by InternalError before it is sent', 'UnknownError'),
  ...unreachable('there is one tenant', 'TenantNotFound'),
  ...unreachable(
    elsewhere,
    'NoSuchUpload',
    'MalformedXML',
    'SignatureDoesNotMatch',
    'MissingContentLength',
    'InvalidUploadSignature',
    'S3Error',
    'InvalidAccessKeyId',
    'MaximumCredentialsLimit',
    'InvalidChecksum',
    'MissingPart',
    'NotSupported',
  ),
  ...unreachable(
    lake,
    'MissingParameter',
    'IcebergMaximumResourceLimit',
    'IcebergResourceNotEmpty',
    'NoSuchCatalog',
    'ConflictException',
    'NotFoundException',
    'VectorBucketNotEmpty',
    'S3VectorMaxBucketsExceeded',
    'S3VectorMaxIndexesExceeded',
    'NoAvailableShard',
    'ShardNotFound',
  ),
]

/** Errors of the service that need more than one request, and the test that causes each. */
export const shownElsewhere: Record<string, [file: string, title: string]> = {
  resourceLocked: [
    '../../../../backend/storage/resumable/createUploadLock.test.ts',
    'a holder that does not release it keeps the lock, and later waiters are unaffected',
  ],
  tooManyUploads: [
    '../responses/resumable.test.ts',
    'unfinished uploads of a user are limited to twenty times the largest file',
  ],
  invalidUploadId: ['../responses/resumable.test.ts', 'the address of %s'],
  aborted: ['../faults/faults.test.ts', 'an upload whose connection breaks leaves the old object'],
  renderingTimedOut: [
    '../../../../backend/optional/thumbnails/process/createRenderer.test.ts',
    'an image that exceeds the limits there too is refused',
  ],
  tooManyRenderings: [
    '../../../../backend/optional/thumbnails/process/createRenderer.test.ts',
    'waiting is limited in number and time; a deleted image is reported as gone',
  ],
}
