import { i18n } from '@lingui/core'
import { newTotp } from '../../../data/account/factors.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { Button } from '../../../ui/Button.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { CopyButton } from './CopyButton.tsx'
import security from './security.module.css'
import { FactorCodeForm } from './FactorCodeForm.tsx'

interface Props {
  name: string
  onDone: () => void
  onBack: () => void
}

/** Shows the secret for an authenticator app as QR code and text, and asks for the first code. */
export function AddAuthenticatorApp({ name, onDone, onBack }: Props) {
  const { value: enrolled, failure } = useQuery(newTotp, [name])
  if (failure) {
    return (
      <>
        <p role="alert">{failure.message}</p>
        <div className={layout.footer}>
          <Button onClick={onBack}>{i18n._('Back')}</Button>
        </div>
      </>
    )
  }
  if (!enrolled) return <Skeleton label={i18n._('Generating your key')} />
  const { id, picture, secret, uri } = enrolled
  return (
    <FactorCodeForm
      factor={id}
      challenge={null}
      hint={i18n._('The code your app shows now.')}
      action={i18n._('Set up')}
      onDone={onDone}
      buttonsClass={layout.footer}
      before={
        <Button variant="quiet" onClick={onBack}>
          {i18n._('Back')}
        </Button>
      }
    >
      <p ref={focusOnMount} tabIndex={-1}>
        {i18n._('Scan this QR code with your authenticator app.')}
      </p>
      <img
        className={security.code}
        src={pictureUrl(picture)}
        alt={i18n._('QR code containing the setup key shown below')}
        width={200}
        height={200}
      />
      <div>
        <p className="label">{i18n._('Or enter this setup key')}</p>
        <div className={security.secret}>
          <code dir="ltr">{secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code>
          <CopyButton text={secret} />
        </div>
        <p className="note">{i18n._('Anyone with this key can generate your codes. Keep it private.')}</p>
      </div>
      <p className="note">
        <a href={uri}>{i18n._('Open in an authenticator app on this device')}</a>
      </p>
    </FactorCodeForm>
  )
}

/** The SVG as a data URL: in an `img`, scripts don't run. */
function pictureUrl(svg: string): string {
  return svg.startsWith('data:') ? svg : `data:image/svg+xml;utf-8,${encodeURIComponent(svg)}`
}

/**
 * As the `ref` of an element that replaces the pressed button: screen readers and the keyboard continue there, not at
 * the top.
 */
function focusOnMount(element: HTMLElement | null): void {
  element?.focus()
}
