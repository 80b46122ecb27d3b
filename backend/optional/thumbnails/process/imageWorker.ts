import type { ImageKind, Plan, SourceImage } from '../planRendering.ts'

/** Tasks of the process: read the properties of an image, or render it. */
export type ImageTask =
  | { type: 'describe'; source: string; kind: ImageKind }
  | { type: 'render'; source: string; target: string; plan: Plan }

export type ImageResult =
  | { image: SourceImage }
  | { size: number }
  | { failed: 'gone' | 'full' | 'broken'; reason: string }

type Sharp = (typeof import('sharp'))['default']

/**
 * The code of the process. It is passed as source text, so it may use only its arguments and Node's globals.
 *
 * Decoders allocate memory by the size in a file's header, on threads that can't be stopped: where the limit is exceeded
 * the process kills itself at once, since a normal exit waits for those threads.
 */
export function runImageWorker(
  sharp: Sharp,
  open: typeof import('node:fs/promises').open,
  limit: number,
): void {
  // Nothing can be reused between two images, and a second thread would double the memory of each.
  sharp.cache(false)
  sharp.concurrency(1)
  // Only these loaders may read untrusted files; libvips has two dozen more, for SVG, PDF, raw pixels and its own format.
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({
    operation: ['Jpeg', 'Png', 'Nsgif', 'Webp', 'Heif', 'Tiff'].map((kind) => `VipsForeignLoad${kind}File`),
  })
  const end = (): void => void process.kill(process.pid, 'SIGKILL')
  setInterval(() => process.memoryUsage.rss() > limit && end(), 10)
  process.on('disconnect', end)

  const options = { failOn: 'none', limitInputPixels: false, sequentialRead: true } as const
  const describe = async (task: ImageTask & { type: 'describe' }): Promise<ImageResult> => {
    const { pages, pageHeight, hasAlpha, autoOrient, width, height } = await sharp(
      task.source,
      options,
    ).metadata()
    const isAnimated = (task.kind === 'gif' || task.kind === 'webp') && (pages ?? 1) > 1
    // Frames have no orientation: they are not rotated.
    const size = isAnimated ? { width, height: pageHeight ?? height } : autoOrient
    return { image: { kind: task.kind, ...size, frames: isAnimated ? pages! : 1, hasAlpha } }
  }
  const render = async ({ source, target, plan }: ImageTask & { type: 'render' }): Promise<ImageResult> => {
    const { scaled, crop, quality } = plan
    let work = sharp(source, { ...options, pages: plan.frames })
    if (plan.frames === 1) work = work.autoOrient()
    if (plan.smart && crop) {
      work = work.resize(crop.width, crop.height, { fit: 'cover', position: sharp.strategy.attention })
    } else {
      work = work.resize(scaled.width, scaled.height, { fit: 'fill' })
      if (crop) work = work.extract(crop)
    }
    if (plan.format === 'jpeg') work = work.jpeg({ quality })
    else if (plan.format === 'png') work = work.png()
    else if (plan.format === 'gif') work = work.gif({ effort: 1 })
    else if (plan.format === 'webp') work = work.webp({ quality, effort: 2 })
    else work = work.avif({ quality, effort: plan.effort })
    const { size } = await work.toFile(target)
    // An incomplete file after a power failure would be served for as long as it is cached.
    const file = await open(target, 'r')
    await file.datasync().finally(() => file.close())
    return { size }
  }
  process.on('message', (task: ImageTask) => {
    const work = task.type === 'describe' ? describe(task) : render(task)
    work.then(
      (result) => process.send!(result),
      (error: NodeJS.ErrnoException) => {
        const reason = String(error.message).slice(0, 300)
        const full = error.code === 'ENOSPC' || /no space left/i.test(reason)
        const failed = full ? 'full' : /does not exist|missing/i.test(reason) ? 'gone' : 'broken'
        process.send!({ failed, reason })
      },
    )
  })
}
