import { StorageFailure } from './StorageFailure.ts'

/** The service's refusals, with the codes, words and statuses of upstream's catalogue (storage 1.70). */
export const failures = {
  noSuchBucket: () =>
    new StorageFailure({
      statusCode: 404,
      code: 'NoSuchBucket',
      error: 'Bucket not found',
      message: 'Bucket not found',
    }),
  noSuchKey: () =>
    new StorageFailure({
      statusCode: 404,
      code: 'NoSuchKey',
      error: 'not_found',
      message: 'Object not found',
    }),
  missingBytes: () =>
    new StorageFailure({
      statusCode: 404,
      code: 'NoSuchKey',
      error: 'Not found',
      message: 'The resource was not found',
    }),
  noRoute: (method: string, path: string) =>
    new StorageFailure({
      statusCode: 404,
      code: 'InvalidRequest',
      error: 'Not Found',
      message: `Route ${method}:${path} not found`,
      httpStatus: 404,
    }),
  accessDenied: (message = 'Access denied', httpStatus?: number) =>
    new StorageFailure({
      statusCode: 403,
      code: 'AccessDenied',
      error: 'Unauthorized',
      message,
      ...(httpStatus && { httpStatus }),
    }),
  invalidToken: (message: string) => new StorageFailure({ statusCode: 400, code: 'InvalidJWT', message }),
  invalidSignature: (message = 'Invalid signature') =>
    new StorageFailure({ statusCode: 400, code: 'InvalidSignature', message }),
  invalidUploadId: (message: string) =>
    new StorageFailure({ statusCode: 400, code: 'InvalidUploadId', message }),
  resourceLocked: () =>
    new StorageFailure({ statusCode: 423, code: 'ResourceLocked', message: 'The resource is locked' }),
  tooManyUploads: () =>
    new StorageFailure({
      statusCode: 429,
      code: 'SlowDown',
      message: 'Too many uploads are unfinished. Finish or cancel some of them first.',
      httpStatus: 429,
    }),
  keyAlreadyExists: () =>
    new StorageFailure({
      statusCode: 409,
      code: 'KeyAlreadyExists',
      error: 'Duplicate',
      message: 'The resource already exists',
    }),
  resourceAlreadyExists: () =>
    new StorageFailure({
      statusCode: 409,
      code: 'ResourceAlreadyExists',
      error: 'Duplicate',
      message: 'The resource already exists',
    }),
  bucketAlreadyExists: () =>
    new StorageFailure({
      statusCode: 409,
      code: 'BucketAlreadyExists',
      error: 'Duplicate',
      message: 'The resource already exists',
    }),
  bucketNotEmpty: () =>
    new StorageFailure({
      statusCode: 409,
      code: 'ResourceNotEmpty',
      message: 'The bucket you tried to delete is not empty',
    }),
  invalidBucketName: () =>
    new StorageFailure({
      statusCode: 400,
      code: 'InvalidBucketName',
      error: 'Invalid Input',
      message: 'Bucket name invalid',
    }),
  invalidKey: (key: string) =>
    new StorageFailure({ statusCode: 400, code: 'InvalidKey', message: `Invalid key: ${key}` }),
  invalidMimeType: (type: string) =>
    new StorageFailure({
      statusCode: 415,
      code: 'InvalidMimeType',
      error: 'invalid_mime_type',
      message: `mime type ${type} is not supported`,
    }),
  invalidContentType: () =>
    new StorageFailure({
      statusCode: 415,
      code: 'InvalidMimeType',
      error: 'invalid_mime_type',
      message: 'Invalid Content-Type header',
    }),
  invalidRobotsTag: (fault: string) =>
    new StorageFailure({
      statusCode: 400,
      code: 'InvalidRequest',
      error: 'invalid_x_robots_tag',
      message: `Invalid X-Robots-Tag header: ${fault}`,
    }),
  invalidRange: () =>
    new StorageFailure({
      statusCode: 416,
      code: 'InvalidRange',
      error: 'invalid_range',
      message: 'invalid range provided',
      httpStatus: 416,
    }),
  invalidRequest: (message: string) =>
    new StorageFailure({ statusCode: 400, code: 'InvalidRequest', message }),
  invalidParameter: (parameter: string) =>
    new StorageFailure({
      statusCode: 400,
      code: 'InvalidParameter',
      message: `Invalid Parameter ${parameter}`,
    }),
  invalidBody: (message: string) =>
    new StorageFailure({ statusCode: 400, code: 'InvalidRequest', error: 'Error', message }),
  invalidJson: () =>
    new StorageFailure({
      statusCode: 400,
      code: 'InvalidRequest',
      error: 'FastifyError',
      message: "Body is not valid JSON but content-type is set to 'application/json'",
    }),
  bodyTooLarge: () =>
    new StorageFailure({
      statusCode: 413,
      code: 'EntityTooLarge',
      error: 'FastifyError',
      message: 'Request body is too large',
      httpStatus: 413,
    }),
  entityTooLarge: (entity = 'object') =>
    new StorageFailure({
      statusCode: 413,
      code: 'EntityTooLarge',
      error: 'Payload too large',
      message: `The ${entity} exceeded the maximum allowed size`,
    }),
  invalidFileSizeLimit: () =>
    new StorageFailure({
      statusCode: 400,
      code: 'InvalidRequest',
      message: 'Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B',
    }),
  noContentProvided: () =>
    new StorageFailure({ statusCode: 400, code: 'InvalidRequest', message: 'No content provided' }),
  /** Nobody reads it: the client went away in the middle of its request. */
  aborted: () =>
    new StorageFailure({
      statusCode: 499,
      code: 'Aborted',
      error: 'Request aborted',
      message: 'Request aborted',
      httpStatus: 499,
    }),
  diskFull: (cause?: unknown) =>
    new StorageFailure(
      {
        statusCode: 507,
        code: 'InsufficientStorage',
        error: 'Insufficient Storage',
        message: 'There is no space left to store this. Nothing was changed; free some space and try again.',
        httpStatus: 507,
      },
      { cause },
    ),
  notAPicture: () =>
    new StorageFailure({
      statusCode: 400,
      code: 'InvalidRequest',
      message: 'The source image is invalid or unsupported for rendering',
    }),
  tooManyPixels: () =>
    new StorageFailure({
      statusCode: 400,
      code: 'InvalidRequest',
      message: 'The source image resolution is too large to process',
    }),
  pictureTooLarge: () =>
    new StorageFailure({
      statusCode: 400,
      code: 'InvalidRequest',
      message: 'The source image file is too large to process',
    }),
  renderingTimedOut: () =>
    new StorageFailure({ statusCode: 408, code: 'InvalidRequest', message: 'Image request timed out' }),
  tooManyRenderings: () =>
    new StorageFailure({
      statusCode: 429,
      code: 'SlowDown',
      error: 'Too Many Requests',
      message: 'Rate limit exceeded, retry in 1 second',
      httpStatus: 429,
    }),
  featureNotEnabled: (feature: string) =>
    new StorageFailure({
      statusCode: 409,
      code: 'FeatureNotEnabled',
      message: `The feature ${feature} is not enabled for this resource`,
    }),
  featureAbsent: () =>
    new StorageFailure({
      statusCode: 403,
      code: 'FeatureNotEnabled',
      message: 'feature not enabled for this tenant',
      httpStatus: 403,
    }),
  internal: (cause?: unknown) =>
    new StorageFailure(
      { statusCode: 500, code: 'InternalError', error: 'Internal', message: 'Internal Server Error' },
      { cause },
    ),
}
