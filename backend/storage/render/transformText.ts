import { readTransform } from './readTransform.ts'
import type { Transform } from './Transform.ts'

/** What upstream's renderer calls the ways to fit. */
const fits = { cover: 'fill', contain: 'fit', fill: 'force' } as const

/** The header `X-Transformations`: what was done, in the words of upstream's renderer. */
export function formatAppliedTransform(transform: Transform): string {
  const { width, height, resize = 'cover' } = transform
  const sized = width || height
  return formatTransform({ ...transform, ...(sized && { resize }) }).replace(
    /resize:(\w+)/,
    (_, fit: keyof typeof fits) => `resizing_type:${fits[fit]}`,
  )
}

/**
 * A transformation as the token of a signed link holds it: upstream's
 * "height:100,width:100,resize:contain". Empty where nothing is asked.
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

/** The other way round. What a token holds was checked when it was signed, and is again. */
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
