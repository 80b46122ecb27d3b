import { StorageError } from './StorageError.ts'

/** Errors of the service, with the codes, messages and statuses of upstream's catalogue (storage 1.70). */
export const errors = {
  noSuchBucket: () =>
    new StorageError({
      statusCode: 404,
      code: 'NoSuchBucket',
      error: 'Bucket not found',
      message: 'Bucket not found',
    }),
  noSuchKey: () =>
    new StorageError({
      statusCode: 404,
      code: 'NoSuchKey',
      error: 'not_found',
      message: 'Object not found',
    }),
  missingBytes: () =>
    new StorageError({
      statusCode: 404,
      code: 'NoSuchKey',
      error: 'Not found',
      message: 'The resource was not found',
    }),
  noRoute: (method: string, path: string) =>
    new StorageError({
      statusCode: 404,
      code: 'InvalidRequest',
      error: 'Not Found',
      message: `Route ${method}:${path} not found`,
      httpStatus: 404,
    }),
  accessDenied: (message = 'Access denied', httpStatus?: number) =>
    new StorageError({
      statusCode: 403,
      code: 'AccessDenied',
      error: 'Unauthorized',
      message,
      ...(httpStatus && { httpStatus }),
    }),
  invalidToken: (message: string) => new StorageError({ statusCode: 400, code: 'InvalidJWT', message }),
  invalidSignature: (message = 'Invalid signature') =>
    new StorageError({ statusCode: 400, code: 'InvalidSignature', message }),
  invalidUploadId: (message: string) =>
    new StorageError({ statusCode: 400, code: 'InvalidUploadId', message }),
  resourceLocked: () =>
    new StorageError({ statusCode: 423, code: 'ResourceLocked', message: 'The resource is locked' }),
  tooManyUploads: () =>
    new StorageError({
      statusCode: 429,
      code: 'SlowDown',
      message: 'Too many uploads are unfinished. Finish or cancel some of them first.',
      httpStatus: 429,
    }),
  keyAlreadyExists: () =>
    new StorageError({
      statusCode: 409,
      code: 'KeyAlreadyExists',
      error: 'Duplicate',
      message: 'The resource already exists',
    }),
  resourceAlreadyExists: () =>
    new StorageError({
      statusCode: 409,
      code: 'ResourceAlreadyExists',
      error: 'Duplicate',
      message: 'The resource already exists',
    }),
  bucketAlreadyExists: () =>
    new StorageError({
      statusCode: 409,
      code: 'BucketAlreadyExists',
      error: 'Duplicate',
      message: 'The resource already exists',
    }),
  bucketNotEmpty: () =>
    new StorageError({
      statusCode: 409,
      code: 'ResourceNotEmpty',
      message: 'The bucket you tried to delete is not empty',
    }),
  invalidBucketName: () =>
    new StorageError({
      statusCode: 400,
      code: 'InvalidBucketName',
      error: 'Invalid Input',
      message: 'Bucket name invalid',
    }),
  invalidKey: (key: string) =>
    new StorageError({ statusCode: 400, code: 'InvalidKey', message: `Invalid key: ${key}` }),
  invalidMimeType: (type: string) =>
    new StorageError({
      statusCode: 415,
      code: 'InvalidMimeType',
      error: 'invalid_mime_type',
      message: `mime type ${type} is not supported`,
    }),
  invalidContentType: () =>
    new StorageError({
      statusCode: 415,
      code: 'InvalidMimeType',
      error: 'invalid_mime_type',
      message: 'Invalid Content-Type header',
    }),
  invalidRobotsTag: (fault: string) =>
    new StorageError({
      statusCode: 400,
      code: 'InvalidRequest',
      error: 'invalid_x_robots_tag',
      message: `Invalid X-Robots-Tag header: ${fault}`,
    }),
  invalidRange: () =>
    new StorageError({
      statusCode: 416,
      code: 'InvalidRange',
      error: 'invalid_range',
      message: 'invalid range provided',
      httpStatus: 416,
    }),
  invalidRequest: (message: string) => new StorageError({ statusCode: 400, code: 'InvalidRequest', message }),
  invalidParameter: (parameter: string) =>
    new StorageError({
      statusCode: 400,
      code: 'InvalidParameter',
      message: `Invalid Parameter ${parameter}`,
    }),
  invalidBody: (message: string) =>
    new StorageError({ statusCode: 400, code: 'InvalidRequest', error: 'Error', message }),
  invalidJson: () =>
    new StorageError({
      statusCode: 400,
      code: 'InvalidRequest',
      error: 'FastifyError',
      message: "Body is not valid JSON but content-type is set to 'application/json'",
    }),
  bodyTooLarge: () =>
    new StorageError({
      statusCode: 413,
      code: 'EntityTooLarge',
      error: 'FastifyError',
      message: 'Request body is too large',
      httpStatus: 413,
    }),
  entityTooLarge: (entity = 'object') =>
    new StorageError({
      statusCode: 413,
      code: 'EntityTooLarge',
      error: 'Payload too large',
      message: `The ${entity} exceeded the maximum allowed size`,
    }),
  invalidFileSizeLimit: () =>
    new StorageError({
      statusCode: 400,
      code: 'InvalidRequest',
      message: 'Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B',
    }),
  noContentProvided: () =>
    new StorageError({ statusCode: 400, code: 'InvalidRequest', message: 'No content provided' }),
  /** Never received: the client disconnected during its request. */
  aborted: () =>
    new StorageError({
      statusCode: 499,
      code: 'Aborted',
      error: 'Request aborted',
      message: 'Request aborted',
      httpStatus: 499,
    }),
  diskFull: (cause?: unknown) =>
    new StorageError(
      {
        statusCode: 507,
        code: 'InsufficientStorage',
        error: 'Insufficient Storage',
        message: 'There is no space left to store this. Nothing was changed; free some space and try again.',
        httpStatus: 507,
      },
      { cause },
    ),
  notAnImage: () =>
    new StorageError({
      statusCode: 400,
      code: 'InvalidRequest',
      message: 'The source image is invalid or unsupported for rendering',
    }),
  tooManyPixels: () =>
    new StorageError({
      statusCode: 400,
      code: 'InvalidRequest',
      message: 'The source image resolution is too large to process',
    }),
  imageTooLarge: () =>
    new StorageError({
      statusCode: 400,
      code: 'InvalidRequest',
      message: 'The source image file is too large to process',
    }),
  renderingTimedOut: () =>
    new StorageError({ statusCode: 408, code: 'InvalidRequest', message: 'Image request timed out' }),
  tooManyRenderings: () =>
    new StorageError({
      statusCode: 429,
      code: 'SlowDown',
      error: 'Too Many Requests',
      message: 'Rate limit exceeded, retry in 1 second',
      httpStatus: 429,
    }),
  featureNotEnabled: (feature: string) =>
    new StorageError({
      statusCode: 409,
      code: 'FeatureNotEnabled',
      message: `The feature ${feature} is not enabled for this resource`,
    }),
  featureUnsupported: () =>
    new StorageError({
      statusCode: 403,
      code: 'FeatureNotEnabled',
      message: 'feature not enabled for this tenant',
      httpStatus: 403,
    }),
  internal: (cause?: unknown) =>
    new StorageError(
      { statusCode: 500, code: 'InternalError', error: 'Internal', message: 'Internal Server Error' },
      { cause },
    ),
}
