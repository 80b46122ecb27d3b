import { escapeHtml } from '../escapeHtml.ts'

/** A time as HTML, in UTC. */
export function formatTime(time: string): string {
  const at = new Date(time)
  const shown = Number.isNaN(at.getTime()) ? time : at.toISOString().slice(0, 16).replace('T', ' ')
  return `<time datetime="${escapeHtml(time)}">${escapeHtml(shown)}</time>`
}
