"""The vocabulary of the benchmark's posts: words of each language, and patterns of sentences and headings."""

SHARED_TAGS = [
    "Accessibility", "Ansible", "Architecture", "Backups", "Caching", "CI", "Containers", "CSS", "Debugging", "Deployment",
    "Docker", "Elixir", "Embedded", "Git", "GraphQL", "Hiring", "HTML", "Incidents", "Java", "JavaScript", "Kubernetes",
    "Linux", "Logging", "Mobile", "Monitoring", "Networks", "Observability", "Performance", "PostgreSQL", "Product",
    "Python", "Queues", "React", "Rust", "Search", "Security", "SEO", "SQLite", "Testing", "TypeScript",
]

AUTHORS = [
    "Amara Bello", "Bruno Castaño", "Clara Nilsen", "Daniel Okafor", "Elena Ruiz", "Felix Brandt", "Gabriela Torres",
    "Hannah Lindqvist", "Iván Morales", "Julia Novak", "Kenji Watanabe", "Lucía Herrera",
]

ENGLISH = {
    "noun": (
        "answer archive author backup branch browser budget bug cache change check choice client clock cluster code column "
        "commit compiler container context contract copy cost customer dashboard database deadline decision default "
        "delay design detail developer directory document draft editor engineer error estimate event experiment failure "
        "feature field figure file filter folder form function gateway graph habit header incident index input interface "
        "issue job journal kernel key language latency launch layer layout library limit line link list load lock log "
        "machine manual map margin measure meeting memory menu message method migration model module month morning name "
        "network note number office operator option order outage output owner package page parser patch path pattern "
        "pipeline plan platform policy port practice price problem process product program project promise proof proposal "
        "query question queue rate reader reason record release report repository request response result review risk "
        "rollback route rule sample schedule schema script search section server service session setting shape signal "
        "site source stage standard state step storage story string structure summary support system table task team "
        "template test text theory thread ticket timeout token tool topic trace transfer trial type update user value "
        "version view visitor volume warning week window word worker writer year"
    ).split(),
    "verb": (
        "accepts answers asks avoids becomes begins blocks breaks brings builds calls carries catches changes checks "
        "closes compares confirms connects contains copies corrects counts covers creates delays depends_on describes "
        "explains fails_without finds finishes follows gives grows guards guides handles helps hides holds ignores "
        "improves keeps leads_to leaves limits loads locks loses makes marks measures meets moves names needs opens "
        "orders outlives pauses prevents prints protects proves publishes pulls reads records reduces refuses releases "
        "removes renames repeats replaces reports returns reveals runs saves searches sends serves shapes shares shows "
        "signs slows solves sorts splits starts stops stores supports takes teaches tells tests touches tracks "
        "translates tries turns updates uses visits waits_for warns watches weighs writes"
    ).replace("_", " ").split(),
    "adjective": (
        "annual broken busy careful cheap clean clear cold common complete correct current daily deep dry early empty "
        "exact expensive fast final first fresh full general good great hard heavy hidden honest hot idle important "
        "internal large late lazy light local long loud main manual missing modern narrow new noisy old open ordinary "
        "outer partial patient plain possible private public quick quiet random rare raw ready real recent regular "
        "reliable rough safe second sharp short shared silent simple single slow small smooth stable stale steady "
        "strict strong sudden thin tidy tiny total true unknown useful usual vague visible warm weak whole wide written"
    ).split(),
    "sentences": [
        "The {adjective} {noun} {verb} the {noun}, and the {noun} {verb} every {adjective} {noun}.",
        "When a {noun} {verb} the {adjective} {noun}, nobody asks why the {noun} {verb} it.",
        "Most of a {noun} is a {adjective} {noun} that {verb} another {noun}.",
        "We wrote a {adjective} {noun} for it, because the {adjective} {noun} {verb} the {noun} on Mondays.",
        "It was the {noun} that {verb} us: a {adjective} {noun}, a {adjective} {noun} and no {noun} at all.",
        "A {noun} without a {noun} {verb} the {adjective} {noun} sooner or later.",
        "In our {noun} the {noun} {verb} **the {adjective} {noun}** before the {noun} does.",
        "After the {noun} the team {verb} each {adjective} {noun}, then the {noun}, then *the whole {noun}*.",
        "Nothing {verb} a {adjective} {noun} like `{noun}_{noun}` in a {adjective} {noun}.",
        "If the {noun} {verb} the {noun} twice, the {adjective} {noun} is not the {noun} you want.",
    ],
    "headings": [
        "What the {adjective} {noun} says", "A {noun} for each {noun}", "Why the {noun} was {adjective}",
        "Before the {adjective} {noun}", "How a {noun} becomes a {noun}", "The {adjective} {noun} and its {noun}",
        "Looking for the {adjective} {noun}", "From {noun} to {noun}",
    ],
    "titles": [
        "The {adjective} {noun} behind a {adjective} {noun}", "How one {noun} became a {adjective} {noun}",
        "A {adjective} {noun} for the {noun} we had", "Notes on the {adjective} {noun} and the {noun}",
        "What a {noun} taught us about the {adjective} {noun}", "Three {adjective} ways to keep a {noun} and a {noun}",
    ],
    "link": "More on this in [another {noun} of ours]({href}).",
    "role": "{adjective} {noun} engineer",
    "description": "Writes about every {adjective} {noun}, and keeps the {noun} of the {adjective} {noun}.",
}

SPANISH = {
    "noun": (
        "acuerdo ajuste almacén análisis aparato archivo aviso balance bloque boceto borrador búfer cajón cálculo cambio "
        "campo camino canal catálogo centro cierre cliente código comando comienzo complemento contenedor contexto "
        "contrato control correo costo cuaderno cuadro cuello dato debate defecto desarrollo destino detalle diagrama "
        "disco diseño documento dominio editor ejemplo elemento encargo enlace ensayo entorno equipo error escritorio "
        "esfuerzo esquema estado estilo evento examen experimento fallo fichero filtro flujo formato formulario grafo "
        "grupo guion hallazgo hilo historial horario icono idioma incidente índice informe ingeniero inicio instante "
        "instrumento intento intervalo inventario juego lanzamiento lector lenguaje límite libro llamado lote lugar "
        "mando manual mapa margen mecanismo mensaje mercado método minuto modelo módulo momento motor muelle nivel nombre "
        "número objeto oficio operador orden origen paquete parche parte paso patrón pedido periodo permiso plan plazo "
        "portal precio problema proceso producto programa protocolo prototipo proveedor proyecto puerto punto rastro "
        "recurso registro reloj reparto repositorio requisito respaldo resultado resumen retraso reto ritmo ruido "
        "segundo sensor servicio servidor síntoma sistema sitio soporte tablero tema texto tiempo tipo título trabajo "
        "tramo turno usuario valor ventanal vínculo visitante volumen"
    ).split(),
    "verb": (
        "abre acepta acerca acompaña activa admite advierte afecta agrega ajusta alcanza alimenta altera anuncia apaga "
        "aplica aporta aprende arregla asigna avisa ayuda bloquea borra busca calcula cambia carga cierra compara "
        "completa comprueba conecta conserva construye consulta contesta contiene copia corrige corta crea cuenta cubre "
        "cuida define deja demuestra describe detiene devuelve distingue divide duplica elige elimina empuja encuentra "
        "enseña entrega envía escribe espera estudia evita exige explica extiende filtra firma frena genera guarda guía "
        "identifica ignora impide imprime incluye indica inicia intenta junta lee limita limpia llama llena lleva manda "
        "mantiene marca mejora mide mueve muestra necesita nombra observa oculta ordena pierde pone prepara presenta "
        "prueba publica quita recibe recoge recuerda reduce registra renueva repite resuelve revisa salva separa sigue "
        "simplifica sostiene supera termina toma traduce transforma une usa valida vigila visita vuelve"
    ).split(),
    "adjective": (
        "abierto activo adecuado amplio ancho antiguo anual barato bajo básico breve callado central cerrado claro común "
        "completo complejo concreto conocido correcto corto cotidiano débil definitivo delgado denso diario directo "
        "distinto duro eficaz enorme entero escrito especial estable estrecho estricto exacto extraño fácil fiable fijo "
        "final firme franco frágil frecuente fresco fuerte futuro general gran grave habitual honesto idóneo inestable "
        "interno inútil largo lento ligero limpio listo lleno local maduro manual mínimo moderno necesario neutro "
        "nuevo oculto ordenado ordinario parcial perfecto pequeño pesado posible preciso previo primario privado "
        "probable profundo propio próximo público puntual puro quieto raro rápido real reciente roto ruidoso sano "
        "sencillo seguro sereno silencioso simple sólido suave sucio temprano tenue típico total tranquilo único útil "
        "vacío vago valioso viejo visible vivo"
    ).split(),
    "sentences": [
        "El {noun} {adjective} {verb} el {noun}, y el {noun} {verb} cada {noun} {adjective}.",
        "Cuando un {noun} {verb} el {noun} {adjective}, nadie pregunta por qué el {noun} lo {verb}.",
        "Casi todo {noun} es un {noun} {adjective} que {verb} otro {noun}.",
        "Escribimos un {noun} {adjective} para eso, porque el {noun} {adjective} {verb} el {noun} los lunes.",
        "Fue el {noun} el que nos {verb}: un {noun} {adjective}, un {noun} {adjective} y ningún {noun}.",
        "Un {noun} sin {noun} {verb} el {noun} {adjective} tarde o temprano.",
        "En nuestro {noun} el {noun} {verb} **el {noun} {adjective}** antes de que lo haga el {noun}.",
        "Después del {noun} el equipo {verb} cada {noun} {adjective}, luego el {noun}, luego *todo el {noun}*.",
        "Nada {verb} un {noun} {adjective} como `{noun}_{noun}` en un {noun} {adjective}.",
        "Si el {noun} {verb} el {noun} dos veces, el {noun} {adjective} no es el {noun} que buscas.",
    ],
    "headings": [
        "Lo que dice el {noun} {adjective}", "Un {noun} para cada {noun}", "Por qué el {noun} era {adjective}",
        "Antes del {noun} {adjective}", "Cómo un {noun} se vuelve {noun}", "El {noun} {adjective} y su {noun}",
        "En busca del {noun} {adjective}", "Del {noun} al {noun}",
    ],
    "titles": [
        "El {noun} {adjective} detrás de un {noun} {adjective}", "Cómo un {noun} se volvió un {noun} {adjective}",
        "Un {noun} {adjective} para el {noun} que teníamos", "Apuntes sobre el {noun} {adjective} y el {noun}",
        "Lo que un {noun} nos enseñó del {noun} {adjective}", "Tres modos de cuidar un {noun} {adjective} y un {noun}",
    ],
    "link": "Más sobre esto en [otro {noun} nuestro]({href}).",
    "role": "Oficio de {noun} {adjective}",
    "description": "Escribe sobre cada {noun} {adjective}, y cuida el {noun} del {noun} {adjective}.",
}

LANGUAGES = {"en": ENGLISH, "es": SPANISH}

CODE = {
    "rust": (
        "fn {noun}(limit: usize) -> Vec<usize> {{\n    // Every second one is enough.\n    let mut {verb} = Vec::new();\n"
        "    for at in 0..limit {{\n        if at % 2 == 0 {{\n            {verb}.push(at * {number});\n        }}\n    }}\n    {verb}\n}}\n"
    ),
    "sql": (
        "select {noun}.id, count(*) as total\nfrom {noun}\njoin {verb} on {verb}.{noun}_id = {noun}.id\n"
        "where {noun}.total > {number} -- the rest is archived\ngroup by {noun}.id\norder by total desc;\n"
    ),
    "python": (
        "def {noun}(path):\n    \"\"\"Reads what was written.\"\"\"\n    with open(path) as file:\n"
        "        {verb} = [line.strip() for line in file if len(line) > {number}]\n    return sorted({verb})\n"
    ),
}
# Names in code: English words, regardless of the post's language.
CODE_NAMES = [word for word in ENGLISH["noun"] if word.isalpha()][:80]
