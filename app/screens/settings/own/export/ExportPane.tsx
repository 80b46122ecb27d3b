import { i18n } from '@lingui/core'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { ExportProgress } from '../../../../data/export/exportOwnData.ts'
import { useMe } from '../../../../features/parts/members/MeContext.ts'
import { Body } from '../../../../features/parts/body/Body.tsx'
import { Button } from '../../../../ui/Button.tsx'
import { formatBytes } from '../../../../ui/formatBytes.ts'
import { PaneFrame } from '../../PaneFrame.tsx'
import styles from '../../SettingsPane.module.css'

type State = 'idle' | 'running' | 'waiting' | 'done' | 'failed'

/** Texts that are rendered once, and who receives their HTML. */
interface Rendering {
  texts: { id: string; body: string }[]
  receive: (html: string[]) => void
}

const loadExport = () => import('../../../../data/export/saveArchive.ts')

/** Saves an archive of what the user has written and stored, with a page that any browser opens. */
export default function ExportPane() {
  const { profile } = useMe()
  const [state, setState] = useState<State>('idle')
  const [progress, setProgress] = useState<ExportProgress>({ messages: 0, files: 0, bytes: 0 })
  const [rendering, setRendering] = useState<Rendering | null>(null)
  const rendered = useRef<HTMLDivElement>(null)
  const abort = useRef<AbortController | null>(null)
  const goOn = useRef(() => {})
  useEffect(() => () => abort.current?.abort(), [])
  useLayoutEffect(() => {
    if (rendering && rendered.current) {
      rendering.receive(Array.from(rendered.current.children, staticHtml))
    }
  }, [rendering])

  const start = async () => {
    const controller = new AbortController()
    abort.current = controller
    setProgress({ messages: 0, files: 0, bytes: 0 })
    setState('running')
    try {
      const { saveArchive } = await loadExport()
      await saveArchive({
        profileId: profile.id,
        name: profile.name,
        signal: controller.signal,
        onProgress: setProgress,
        renderBodies: (bodies) =>
          new Promise((receive) => {
            setRendering({ texts: bodies.map((body, i) => ({ id: String(i), body })), receive })
          }),
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
    setRendering(null)
  }
  const cancel = () => {
    abort.current?.abort()
    goOn.current()
  }
  return (
    <PaneFrame
      hint={i18n._(
        'One ZIP file with what you’ve written and can still read, and your files, profile, drafts, saved messages, reminders, reactions and memberships, as web pages and JSON. It opens without Linnet.',
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
      <div hidden ref={rendered}>
        {rendering?.texts.map(({ id, body }) => (
          <div key={id}>
            <Body body={body} />
          </div>
        ))}
      </div>
    </PaneFrame>
  )
}

/** The HTML of a rendered text without what only works in Linnet: controls, and links to its pages. */
function staticHtml(element: Element): string {
  const copy = element.cloneNode(true) as Element
  for (const each of copy.querySelectorAll('svg, img, input')) each.remove()
  for (const each of copy.querySelectorAll('button')) {
    const text = document.createElement('span')
    text.textContent = each.textContent
    each.replaceWith(text)
  }
  for (const each of copy.querySelectorAll('*')) {
    for (const { name } of Array.from(each.attributes)) {
      const isKept =
        name === 'dir' || (name === 'href' && /^(https?|mailto):/i.test(each.getAttribute('href') ?? ''))
      if (!isKept) each.removeAttribute(name)
    }
  }
  return copy.innerHTML
}
