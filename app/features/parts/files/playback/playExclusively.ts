let playing: HTMLMediaElement | null = null

/** Call when an element starts to play: pauses the previous one. */
export function playExclusively(next: HTMLMediaElement): void {
  if (playing !== next) playing?.pause()
  playing = next
}
