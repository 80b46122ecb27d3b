import { i18n } from '@lingui/core'
import { useEffect, useRef, useState } from 'react'
import type { ExportProgress } from '../../../../data/export/exportOwnData.ts'
import { useMe } from '../../../../features/parts/members/MeContext.ts'
import { loadEmojiNames } from '../../../../features/parts/emoji/emojiNames.ts'
import { Button } from '../../../../ui/Button.tsx'
import { formatBytes } from '../../../../ui/formatBytes.ts'
import { PaneFrame } from '../../PaneFrame.tsx'
import styles from '../../SettingsPane.module.css'

type State = 'idle' | 'running' | 'waiting' | 'done' | 'failed'

const loadExport = () => import('../../../../data/export/saveArchive.ts')

/** Saves an archive of what the user has written and stored, with a page that any browser opens. */
export default function ExportPane() {
  const { profile } = useMe()
  const [state, setState] = useState<State>('idle')
  const [progress, setProgress] = useState<ExportProgress>({ messages: 0, files: 0, bytes: 0 })
  const abort = useRef<AbortController | null>(null)
  const goOn = useRef(() => {})
  useEffect(() => () => abort.current?.abort(), [])

  const start = async () => {
    const controller = new AbortController()
    abort.current = controller
    setProgress({ messages: 0, files: 0, bytes: 0 })
    setState('running')
    try {
      const { saveArchive } = await loadExport()
      const emoji = await loadEmojiNames()
      await saveArchive({
        profileId: profile.id,
        name: profile.name,
        emojiNamed: (name) => emoji.get(name) ?? null,
        signal: controller.signal,
        onProgress: setProgress,
        waitAfterFailure: () =>
          new Promise((resolve) => {
            setState('waiting')
            goOn.current = () => {
              setState('running')
              resolve()
            }
          }),
      })
      setState('done')
    } catch {
      setState(controller.signal.aborted ? 'idle' : 'failed')
    }
  }
  const cancel = () => {
    abort.current?.abort()
    goOn.current()
  }
  return (
    <PaneFrame
      hint={i18n._(
        'One ZIP file with what you’ve written and can still read, some messages around it, and your files, profile, drafts, saved messages, reminders, reactions and memberships, as web pages and JSON. It opens without Linnet.',
      )}
    >
      {state === 'running' || state === 'waiting' ? (
        <>
          <p role="status">
            {i18n._(
              '{messages, plural, one {# message} other {# messages}}, {files, plural, one {# file} other {# files}}, {size}',
              {
                messages: progress.messages,
                files: progress.files,
                size: formatBytes(progress.bytes),
              },
            )}
          </p>
          {state === 'waiting' ? (
            <p role="alert">
              {i18n._('The export is paused: the server can’t be reached. Nothing is lost.')}
            </p>
          ) : null}
          <div className={styles.line}>
            {state === 'waiting' ? (
              <Button variant="primary" onClick={() => goOn.current()}>
                {i18n._('Continue')}
              </Button>
            ) : null}
            <Button onClick={cancel}>{i18n._('Cancel')}</Button>
          </div>
        </>
      ) : (
        <>
          {state === 'done' ? <p role="status">{i18n._('Your export is in your downloads.')}</p> : null}
          {state === 'failed' ? (
            <p role="alert">
              {i18n._(
                'The export couldn’t be completed. Check the free space of this device, then try again.',
              )}
            </p>
          ) : null}
          <div>
            <Button variant="primary" onClick={() => void start()}>
              {i18n._('Export your data')}
            </Button>
          </div>
        </>
      )}
    </PaneFrame>
  )
}
