import { i18n } from '@lingui/core'
import Trash from 'lucide-react/icons/trash-2'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { LIMITS } from '../../../../../wire/limits.ts'
import { prepareFile } from '../../../../data/files/upload/prepareFile.ts'
import { sendMessage } from '../../../../data/messages/messages.ts'
import { announce } from '../../../../ui/announce.ts'
import { Button } from '../../../../ui/Button.tsx'
import { Icon } from '../../../../ui/Icon.tsx'
import { IconButton } from '../../../../ui/IconButton.tsx'
import { useToast } from '../../../../ui/toast.ts'
import { formatDuration } from '../../../parts/files/playback/formatDuration.ts'
import { VoicePlayer } from '../../../parts/files/voice/VoicePlayer.tsx'
import { recordVoice, type Recorder, type Recording, type RecordingFailure } from './recordVoice.ts'
import styles from './VoiceRecorder.module.css'

/** Displayed levels: the last three seconds. */
const MAX_SHOWN = 60

interface Props {
  channelId: string
  threadRoot: string | null
  onSent: (() => void) | undefined
  /** Also called if the component can't be loaded. */
  onEnd: () => void
}

/**
 * Records a voice message as soon as it is rendered: level and time while it records, at most five minutes; then it can
 * be played, sent or discarded.
 */
export default function VoiceRecorder({ channelId, threadRoot, onSent, onEnd }: Props) {
  const showToast = useToast()
  const recorder = useRef<Recorder | null>(null)
  const [state, setState] = useState<
    'starting' | 'recording' | 'stopping' | 'sending' | Finished | RecordingFailure
  >('starting')
  const [ms, setMs] = useState(0)
  const [levels, setLevels] = useState<readonly number[]>([])
  const isFinished = typeof state === 'object'

  const stop = async () => {
    if (!recorder.current || state !== 'recording') return
    setState('stopping')
    const recording = await recorder.current.stop()
    if (!recording) return setState('missing')
    setState({ recording, url: URL.createObjectURL(recording.blob) })
  }
  const onLevel = useEffectEvent((level: number, at: number) => {
    setMs(at)
    setLevels((before) => [...before, level].slice(-MAX_SHOWN))
    if (at >= LIMITS.voiceMs) void stop()
  })
  useEffect(() => {
    let isUnmounted = false
    void recordVoice((level, at) => onLevel(level, at)).then((started) => {
      if (typeof started === 'string') return isUnmounted ? undefined : setState(started)
      if (isUnmounted) return started.cancel()
      recorder.current = started
      setState('recording')
      announce(i18n._('Recording'))
    })
    return () => {
      isUnmounted = true
      recorder.current?.cancel()
    }
  }, [])

  const url = isFinished ? state.url : null
  useEffect(() => () => URL.revokeObjectURL(url ?? ''), [url])

  const send = async () => {
    if (!isFinished) return
    const finished = state
    const { blob, type, voice } = finished.recording
    setState('sending')
    const extension = type.split('/')[1] ?? 'audio'
    const prepared = await prepareFile(new File([blob], `${fileName()}.${extension}`, { type }))
    const outcome = prepared.ok
      ? sendMessage({
          channel: channelId,
          body: '',
          threadRoot,
          files: [prepared.value.file],
          extras: { voice },
          keepsDraft: true,
        })
      : prepared
    if (!outcome.ok) {
      showToast({ text: outcome.failure.message })
      return setState({ ...finished, url: URL.createObjectURL(blob) })
    }
    onSent?.()
    onEnd()
  }
  return (
    <div
      role="group"
      aria-label={i18n._('Voice message')}
      className={styles.recorder}
      data-recorder
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        event.stopPropagation()
        onEnd()
      }}
    >
      <IconButton
        label={isFinished ? i18n._('Discard recording') : i18n._('Cancel recording')}
        icon={<Icon of={Trash} size={20} />}
        onClick={onEnd}
      />
      {isFinished ? (
        <>
          <VoicePlayer label={i18n._('Your recording')} voice={state.recording.voice} url={state.url} />
          <Button variant="primary" onClick={() => void send()}>
            {i18n._('Send recording')}
          </Button>
        </>
      ) : isFailure(state) ? (
        <p role="alert" className={styles.failure}>
          {sentenceOf(state)}
        </p>
      ) : (
        <>
          <span className={styles.live}>
            <span className={styles.dot} aria-hidden />
            <span className={styles.time}>
              {state === 'starting' ? i18n._('Waiting for the microphone…') : formatDuration(ms / 1000)}
            </span>
            <span className={styles.levels} aria-hidden>
              {levels.map((level, index) => (
                <span
                  // oxlint-disable-next-line react/no-array-index-key -- each bar has a fixed place
                  key={index}
                  className={styles.level}
                  style={{ height: `${Math.min(100, 6 + level * 300)}%` }}
                />
              ))}
            </span>
          </span>
          {/* The same element as the button that sends: focus stays on it. */}
          <Button
            variant="primary"
            autoFocus
            busy={state === 'stopping' || state === 'sending'}
            onClick={() => void stop()}
          >
            {i18n._('Stop')}
          </Button>
        </>
      )}
    </div>
  )
}

interface Finished {
  recording: Recording
  url: string
}

function isFailure(state: string): state is RecordingFailure {
  return state === 'refused' || state === 'missing' || state === 'busy' || state === 'unsupported'
}

function sentenceOf(failure: RecordingFailure): string {
  return {
    refused: i18n._(
      'Linnet isn’t allowed to use the microphone. Allow it for this page in your browser’s settings, then try again.',
    ),
    missing: i18n._('No microphone was found. Connect one, then try again.'),
    busy: i18n._('The microphone isn’t available. Another program may be using it.'),
    // Over http, browsers offer no microphone.
    unsupported: isSecureContext
      ? i18n._('This browser can’t record voice messages.')
      : i18n._('Browsers allow recording only on websites with HTTPS, which this server doesn’t use.'),
  }[failure]
}

/** "Voice message 2026-11-23 06.40", in the reader's time. */
function fileName(): string {
  const now = new Date()
  const two = (part: number) => String(part).padStart(2, '0')
  const day = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
  return `${i18n._('Voice message')} ${day} ${two(now.getHours())}.${two(now.getMinutes())}`
}
