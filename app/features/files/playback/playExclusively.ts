let playing: HTMLMediaElement | null = null

/** To be called when something begins to play: what played before falls silent. */
export function playExclusively(next: HTMLMediaElement): void {
  if (playing !== next) playing?.pause()
  playing = next
}
