const names = [
  'NotFound',
  'PermissionDenied',
  'ConnectionRefused',
  'ConnectionReset',
  'ConnectionAborted',
  'NotConnected',
  'AddrInUse',
  'AddrNotAvailable',
  'BrokenPipe',
  'AlreadyExists',
  'InvalidData',
  'TimedOut',
  'Interrupted',
  'WriteZero',
  'WouldBlock',
  'UnexpectedEof',
  'BadResource',
  'Http',
  'Busy',
  'NotSupported',
  'FilesystemLoop',
  'IsADirectory',
  'NetworkUnreachable',
  'NotADirectory',
] as const

type ErrorName = (typeof names)[number]

function createErrorClass(name: ErrorName): ErrorConstructor {
  return {
    [name]: class extends Error {
      override name = name
    },
  }[name] as unknown as ErrorConstructor
}

/** `Deno.errors`: one class per kind of error, for `instanceof`. */
export const errors = Object.fromEntries(names.map((name) => [name, createErrorClass(name)])) as Record<
  ErrorName,
  ErrorConstructor
>

const byCode: Record<string, ErrorName> = {
  ENOENT: 'NotFound',
  EACCES: 'PermissionDenied',
  EPERM: 'PermissionDenied',
  EROFS: 'PermissionDenied',
  EEXIST: 'AlreadyExists',
  EISDIR: 'IsADirectory',
  ENOTDIR: 'NotADirectory',
  ELOOP: 'FilesystemLoop',
  EBUSY: 'Busy',
  EBADF: 'BadResource',
}

/** The error that Deno would throw for `error` of Node's file system. */
export function asDenoError(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  const name = code === undefined ? undefined : byCode[code]
  return name === undefined ? error : new errors[name](message, { cause: error })
}
