let context: AudioContext | null = null

/** Plays two short tones. Browsers play nothing before the reader has used the page. */
export async function playTone(): Promise<void> {
  context ??= new AudioContext()
  // Waits until the reader uses the page; by then this sound is outdated.
  if (context.state !== 'running') void context.resume()
  if (context.state !== 'running') await new Promise((resolve) => setTimeout(resolve, 200))
  if (context.state !== 'running') return
  const start = context.currentTime
  for (const [hertz, delay] of [
    [660, 0],
    [880, 0.12],
  ] as const) {
    const tone = context.createOscillator()
    const volume = context.createGain()
    tone.frequency.value = hertz
    volume.gain.setValueAtTime(0, start + delay)
    volume.gain.linearRampToValueAtTime(0.12, start + delay + 0.02)
    volume.gain.exponentialRampToValueAtTime(0.0001, start + delay + 0.25)
    tone.connect(volume).connect(context.destination)
    tone.start(start + delay)
    tone.stop(start + delay + 0.26)
  }
}
