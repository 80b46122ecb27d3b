import type { MessageExtras } from '../../../../../wire/messages.ts'
import { waveformOf } from './waveform.ts'

/** A finished recording. `type` has no parameters. */
export interface Recording {
  blob: Blob
  type: string
  voice: NonNullable<MessageExtras['voice']>
}

export interface Recorder {
  /** Ends the recording. Null if nothing was recorded. */
  stop: () => Promise<Recording | null>
  /** Ends it without a result. Also releases the microphone after `stop`. */
  cancel: () => void
}

/** Why nothing can be recorded: the reader refused, there is no microphone, another program uses it, or no support. */
export type RecordingFailure = 'refused' | 'missing' | 'busy' | 'unsupported'

/** Milliseconds between levels: 6,000 in the longest recording. */
const LEVEL_INTERVAL_MS = 50
/** Opus in Chromium and Firefox, AAC in Safari. */
const TYPES = ['audio/webm;codecs=opus', 'audio/mp4', 'audio/ogg;codecs=opus']
const BITS_PER_SECOND = 32_000

/** Starts to record. `onLevel` gets each level (0 to 1) and the milliseconds since the start. */
export async function recordVoice(
  onLevel: (level: number, ms: number) => void,
): Promise<Recorder | RecordingFailure> {
  // Without HTTPS browsers offer no microphone.
  if (!navigator.mediaDevices || typeof MediaRecorder === 'undefined') return 'unsupported'
  const mimeType = TYPES.find((type) => MediaRecorder.isTypeSupported(type))
  if (!mimeType) return 'unsupported'
  let stream: MediaStream
  try {
    stream = await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: true, noiseSuppression: true },
    })
  } catch (error) {
    return failureOf(error)
  }
  const context = new AudioContext()
  const analyser = context.createAnalyser()
  context.createMediaStreamSource(stream).connect(analyser)
  const samples = new Float32Array(analyser.fftSize)
  const levels: number[] = []
  const chunks: Blob[] = []
  const recorder = new MediaRecorder(stream, { mimeType, audioBitsPerSecond: BITS_PER_SECOND })
  const startedAt = performance.now()
  const timer = setInterval(() => {
    analyser.getFloatTimeDomainData(samples)
    const level = Math.min(1, Math.hypot(...samples) / Math.sqrt(samples.length))
    levels.push(level)
    onLevel(level, performance.now() - startedAt)
  }, LEVEL_INTERVAL_MS)
  const release = () => {
    clearInterval(timer)
    for (const track of stream.getTracks()) track.stop()
    void context.close().catch(() => {})
  }
  const ended = new Promise<void>((resolve) => {
    recorder.addEventListener('stop', () => resolve())
  })
  recorder.addEventListener('dataavailable', ({ data }) => {
    if (data.size > 0) chunks.push(data)
  })
  recorder.start()
  return {
    stop: async () => {
      const duration = performance.now() - startedAt
      // Another program or the reader may have ended the recording.
      if (recorder.state !== 'inactive') recorder.stop()
      await ended
      release()
      const type = mimeType.split(';')[0] ?? mimeType
      const blob = new Blob(chunks, { type })
      if (blob.size === 0) return null
      const voice = { duration_ms: Math.max(1, Math.round(duration)), waveform: waveformOf(levels) }
      return { blob, type, voice }
    },
    cancel: () => {
      if (recorder.state !== 'inactive') recorder.stop()
      release()
    },
  }
}

function failureOf(error: unknown): RecordingFailure {
  const name = error instanceof DOMException ? error.name : ''
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'refused'
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return 'missing'
  if (name === 'NotReadableError' || name === 'AbortError') return 'busy'
  return 'unsupported'
}
