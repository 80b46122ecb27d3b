/** "0:07", "12:30", "1:02:03". An unknown length (Infinity) is an empty string. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return ''
  const whole = Math.max(0, Math.floor(seconds))
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const two = (part: number) => String(part).padStart(2, '0')
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}
