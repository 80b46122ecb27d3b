import { i18n } from '@lingui/core'
import { Component, useEffect, useEffectEvent, useState, type ReactNode } from 'react'
import { Button } from './Button.tsx'
import styles from './ErrorBoundary.module.css'
import { Page } from './Page.tsx'
import { useToast } from './toast.ts'

interface Props {
  children: ReactNode
  /** What replaces children that fail to render; absent: a page that offers to reload. */
  fallback?: ReactNode
  /** The children are rendered again when this value changes. */
  resetKey?: unknown
}

interface State {
  hasError: boolean
  resetKey: unknown
}

/** Catches errors while its children render, so that only they are replaced. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { hasError: false, resetKey: this.props.resetKey }

  static getDerivedStateFromError() {
    return { hasError: true }
  }

  static getDerivedStateFromProps({ resetKey }: Props, state: State) {
    return Object.is(resetKey, state.resetKey) ? null : { hasError: false, resetKey }
  }

  override render() {
    const { children, fallback = <ReloadPage /> } = this.props
    return this.state.hasError ? fallback : children
  }
}

function ReloadPage() {
  return (
    <Page
      title={i18n._('Something went wrong')}
      lead={i18n._('Your draft is saved on this device. Reload the page to continue.')}
    >
      <div>
        <Button variant="primary" onClick={() => location.reload()}>
          {i18n._('Reload')}
        </Button>
      </div>
    </Page>
  )
}

/** A boundary for a part of the page, which it offers to render again. A change of `resetKey` also renders it again. */
export function PaneBoundary({ children, resetKey = '' }: { children: ReactNode; resetKey?: string }) {
  const [attempts, setAttempts] = useState(0)
  return (
    <ErrorBoundary
      resetKey={`${attempts} ${resetKey}`}
      fallback={<FailedPane onRetry={() => setAttempts(attempts + 1)} />}
    >
      {children}
    </ErrorBoundary>
  )
}

function FailedPane({ onRetry }: { onRetry: () => void }) {
  return (
    <div className={styles.pane} role="alert">
      <h2 className={styles.title}>{i18n._('Something went wrong')}</h2>
      <p>{i18n._('This part of Linnet can’t be displayed.')}</p>
      <Button variant="quiet" onClick={onRetry}>
        {i18n._('Try again')}
      </Button>
    </div>
  )
}

/** A boundary for a menu or a dialog: it closes, and a toast states why. */
export function OverlayBoundary({ children, onClose }: { children: ReactNode; onClose: () => void }) {
  return <ErrorBoundary fallback={<FailedOverlay onClose={onClose} />}>{children}</ErrorBoundary>
}

function FailedOverlay({ onClose }: { onClose: () => void }) {
  const showToast = useToast()
  const close = useEffectEvent(() => {
    showToast({ text: i18n._('Something went wrong. Reload the page and try again.') })
    onClose()
  })
  useEffect(() => close(), [])
  return null
}
