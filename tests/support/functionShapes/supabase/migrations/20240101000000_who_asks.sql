create function public.who_asks() returns text
language sql stable
as $$ select auth.role() || ' ' || coalesce(auth.uid()::text, 'nobody') $$;
