/** Where a picture is cut to its frame: by compass, by what catches the eye (`sm`), or about a point (`fp`). */
export const gravities = ['no', 'so', 'ea', 'we', 'noea', 'nowe', 'soea', 'sowe', 'ce', 'sm', 'fp'] as const
export const resizes = ['cover', 'contain', 'fill'] as const
export const formats = ['origin', 'avif', 'webp'] as const

export interface Gravity {
  kind: (typeof gravities)[number]
  /** Below 1 a share of the picture, else pixels; a point is always given in shares. */
  x: number
  y: number
}

/** What is to become of a picture. Sizes are in pixels, 1 to 2500; an absent side follows the other. */
export interface Transform {
  width?: number
  height?: number
  resize?: (typeof resizes)[number]
  format?: (typeof formats)[number]
  /** 20 to 100. */
  quality?: number
  gravity?: Gravity
}
