import { errors } from './errors.ts'

const wellFormed = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;[\x20-\x7e]*)?$/
const allowable = /^([a-zA-Z0-9\-+.]+\/([a-zA-Z0-9\-+.]+|\*)(;\s*charset=[a-zA-Z0-9-]+)?|\*|\*\/\*)$/

const token = "[\\w!#$%&'*+.^`|~-]+"
const mediaType = new RegExp(`^${token}/${token}\\s*(;.*)?$`)

/** Throws InvalidMimeType where a request's `Content-Type` is not a media type; parameters are ignored. */
export function requireContentType(header: string | undefined): void {
  if (header && !mediaType.test(header)) throw errors.invalidContentType()
}

/** The type to store for a file: the declared one, or application/octet-stream where that is invalid. */
export function cleanMimeType(label: string | undefined): string {
  return label && label.length <= 255 && wellFormed.test(label) ? label : 'application/octet-stream'
}

/** The type without its parameters, in lower case. */
export function mediaTypeOf(type: string): string {
  return type.split(';', 1)[0]!.trim().toLowerCase()
}

/** Throws InvalidMimeType unless `allowed` is empty or names the type ("image/png", "image/*"). */
export function requireAllowedType(type: string, allowed: readonly string[] | null): void {
  if (!allowed || allowed.length === 0) return
  const essence = mediaTypeOf(type)
  const [family] = essence.split('/')
  const fits = allowed.some((entry) => {
    const wanted = mediaTypeOf(entry)
    return wanted === '*' || wanted === '*/*' || wanted === `${family}/*` || wanted === essence
  })
  if (!fits) throw errors.invalidMimeType(type)
}

/** Throws InvalidMimeType where a bucket's list has an entry that no file could match. */
export function requireAllowableTypes(types: readonly string[]): void {
  for (const type of types) {
    if (type.length > 1000 || !allowable.test(type)) throw errors.invalidMimeType(type.slice(0, 1000))
  }
}
