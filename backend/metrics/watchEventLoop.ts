import { monitorEventLoopDelay } from 'node:perf_hooks'

const resolutionMs = 20
const windowMs = 10_000

/** Delay of timers in the event loop over the last complete window of 10 s, in ms. */
export function watchEventLoop(): { delay(): { p99Ms: number; maxMs: number }; close(): void } {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  // It measures the time between two timers, which is the resolution if there is no delay.
  const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolutionMs)
  const read = (): { p99Ms: number; maxMs: number } =>
    histogram.count === 0
      ? { p99Ms: 0, maxMs: 0 }
      : { p99Ms: late(histogram.percentile(99)), maxMs: late(histogram.max) }
  let last: ReturnType<typeof read> | null = null
  const timer = setInterval(() => {
    last = read()
    histogram.reset()
  }, windowMs)
  timer.unref()
  return {
    delay: () => last ?? read(),
    close() {
      clearInterval(timer)
      histogram.disable()
    },
  }
}
