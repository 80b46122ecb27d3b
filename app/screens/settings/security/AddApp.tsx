import { i18n } from '@lingui/core'
import { useCallback, useState } from 'react'
import { enrolTotp, enterFactorCode } from '../../../data/account/factors.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/Form.tsx'
import { useNotice } from '../../../ui/notice.ts'
import sheet from '../../../ui/Sheet.module.css'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { useAnswer } from '../../../ui/useAnswer.ts'
import { CodeField, isCode } from '../../account/CodeField.tsx'
import { focusHere } from '../../account/focusHere.ts'
import { useAction } from '../../account/useAction.ts'
import own from './security.module.css'

interface Props {
  name: string
  onDone: () => void
  onBack: () => void
}

/** Shows the secret to an authenticator app, as a picture and as words, and asks for the app's first code. */
export function AddApp({ name, onDone, onBack }: Props) {
  const answer = useAnswer(useCallback(() => enrolTotp(name), [name]))
  const [code, setCode] = useState('')
  const [copied, setCopied] = useState(false)
  const notice = useNotice()
  const action = useAction()
  if (!answer) return <Skeleton label={i18n._('Generating your key')} />
  if (!answer.ok) {
    return (
      <>
        <p role="alert">{answer.failure.sentence}</p>
        <div className={sheet.foot}>
          <Button onClick={onBack}>{i18n._('Back')}</Button>
        </div>
      </>
    )
  }
  const { id, picture, secret, uri } = answer.value
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(secret)
      setCopied(true)
    } catch {
      notice({ words: i18n._('Couldn’t copy. Select the text and copy it manually.') })
    }
  }
  const enter = async () => {
    if (!isCode(code)) return
    if (await action.run(() => enterFactorCode(id, null, code))) onDone()
    else setCode('')
  }
  return (
    <Form onSubmit={() => void enter()} failure={action.failure}>
      <p ref={focusHere} tabIndex={-1}>
        {i18n._('Scan this QR code with your authenticator app.')}
      </p>
      <img
        className={own.code}
        src={pictureUrl(picture)}
        alt={i18n._('QR code containing the setup key shown below')}
        width={200}
        height={200}
      />
      <div>
        <p className={sheet.label}>{i18n._('Or enter this setup key')}</p>
        <div className={own.secret}>
          <code dir="ltr">{secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code>
          <Button onClick={() => void copy()}>{copied ? i18n._('Copied') : i18n._('Copy')}</Button>
        </div>
        <p className={own.small}>
          {i18n._('Anyone with this key can generate your codes. Keep it private.')}
        </p>
      </div>
      <p className={own.small}>
        <a href={uri}>{i18n._('Open in an authenticator app on this device')}</a>
      </p>
      <CodeField hint={i18n._('The code your app shows now.')} value={code} onChange={setCode} />
      <div className={sheet.foot}>
        <Button look="quiet" onClick={onBack}>
          {i18n._('Back')}
        </Button>
        <Button type="submit" look="primary" busy={action.busy} disabled={!isCode(code)}>
          {i18n._('Set up')}
        </Button>
      </div>
    </Form>
  )
}

/** The SVG of the answer as an address: in an `img` no script of it would run. */
function pictureUrl(svg: string): string {
  return svg.startsWith('data:') ? svg : `data:image/svg+xml;utf-8,${encodeURIComponent(svg)}`
}
