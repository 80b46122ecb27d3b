import { readTransform, type Transform } from './readTransform.ts'

/** Names of the resize modes in upstream's renderer. */
const fits = { cover: 'fill', contain: 'fit', fill: 'force' } as const

/** The header `X-Transformations`, in the format of upstream's renderer. */
export function formatAppliedTransform(transform: Transform): string {
  const { width, height, resize = 'cover' } = transform
  const sized = width || height
  return formatTransform({ ...transform, ...(sized && { resize }) }).replace(
    /resize:(\w+)/,
    (_, fit: keyof typeof fits) => `resizing_type:${fits[fit]}`,
  )
}

/**
 * A transformation in the format of signed links, as upstream's:
 * "height:100,width:100,resize:contain". Empty without a transformation.
 */
export function formatTransform(transform: Transform): string {
  const { height, width, resize, quality, format, gravity } = transform
  const parts = [
    height && `height:${height}`,
    width && `width:${width}`,
    (width || height) && resize && `resize:${resize}`,
    quality && `quality:${quality}`,
    format && format !== 'origin' && `format:${format}`,
    gravity &&
      (gravity.kind === 'sm' || (gravity.x === 0 && gravity.y === 0 && gravity.kind !== 'fp')
        ? `gravity:${gravity.kind}`
        : `gravity:${gravity.kind}:${gravity.x}:${gravity.y}`),
  ]
  return parts.filter(Boolean).join(',')
}

/** The inverse of `formatTransform`. The content of a token was validated when it was signed, and is again. */
export function parseTransform(text: string, format?: string): Transform {
  const fields = new Map<string, string>(format ? [['format', format]] : [])
  for (const part of text.split(',')) {
    const [name, value, x, y] = part.split(':')
    if (!name || !value) continue
    fields.set(name, value)
    if (name === 'gravity' && x && y) fields.set('x_offset', x).set('y_offset', y)
  }
  return readTransform('token', (name) => fields.get(name))
}
