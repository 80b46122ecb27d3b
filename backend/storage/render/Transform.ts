/** Which part a crop keeps: by compass direction, by detected saliency (`sm`), or around a focal point (`fp`). */
export const gravities = ['no', 'so', 'ea', 'we', 'noea', 'nowe', 'soea', 'sowe', 'ce', 'sm', 'fp'] as const
export const resizes = ['cover', 'contain', 'fill'] as const
export const formats = ['origin', 'avif', 'webp'] as const

export interface Gravity {
  kind: (typeof gravities)[number]
  /** Below 1 a fraction of the image, else pixels; a focal point is always given in fractions. */
  x: number
  y: number
}

/** A transformation of an image. Sizes are in pixels, 1 to 2500; an absent side follows from the other. */
export interface Transform {
  width?: number
  height?: number
  resize?: (typeof resizes)[number]
  format?: (typeof formats)[number]
  /** 20 to 100. */
  quality?: number
  gravity?: Gravity
}
