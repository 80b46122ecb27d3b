/** Amplitudes that a voice message stores. The database accepts 1 to 128. */
const MAX_AMPLITUDES = 64

/**
 * The waveform of a recording from its levels (0 to 1, in equal intervals): at most 64 amplitudes from 0 to 100, the
 * loudest 100. Silence has only zeros.
 */
export function waveformOf(levels: readonly number[]): number[] {
  const count = Math.max(1, Math.min(MAX_AMPLITUDES, levels.length))
  const peaks = Array.from({ length: count }, (_, index) => {
    const from = Math.floor((index * levels.length) / count)
    const to = Math.floor(((index + 1) * levels.length) / count)
    return Math.max(0, ...levels.slice(from, to))
  })
  const loudest = Math.max(...peaks)
  return peaks.map((peak) => (loudest > 0 ? Math.round((peak / loudest) * 100) : 0))
}
